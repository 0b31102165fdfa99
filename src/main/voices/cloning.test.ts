import { describe, expect, test } from 'vitest';
import type { VoiceAccount } from '#main/service/voice-client.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { err, ok } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { CONSENT_WORDING, emptyDraft, type VoiceDraft } from '#shared/voices/draft.ts';
import { createManualClock, type ManualClock, settle } from '#test/support/manual-clock.ts';
import {
	createMemoryRegister,
	createPretendVoices,
	type MemoryRegister,
	type PretendVoices,
	storedVoice,
} from '#test/support/voices.ts';
import { viewOf } from './cloned-voices.ts';
import { type Cloning, createCloning } from './cloning.ts';
import { nextQuestionMs } from './status-polling.ts';
import type { StoredVoice, VoicesFile } from './voices-file.ts';

const draft: VoiceDraft = { ...emptyDraft, name: 'Ana', language: 'es', consent: CONSENT_WORDING };
const { sample } = storedVoice('any');
const file = { ...sample, path: '/tmp/me.wav' };
const MINUTE = 60_000;

interface Rig {
	readonly cloning: Cloning;
	readonly finished: StoredVoice[];
	readonly erased: string[];
}

function rigOf(register: VoicesFile, service: PretendVoices, clock: ManualClock): Rig {
	const finished: StoredVoice[] = [];
	const erased: string[] = [];
	const cloning = createCloning({
		register,
		api: service,
		clock,
		random: () => 0.5,
		log: silentLogger,
		isPassing: () => false,
		removeRecording: async (path) => void erased.push(path),
		changed() {},
		finished: (voice) => void finished.push(voice),
	});
	return { cloning, finished, erased };
}

async function begun(service: PretendVoices, clock = createManualClock(), from = file) {
	const register = createMemoryRegister();
	const rig = rigOf(register, service, clock);
	const made = await rig.cloning.begin(draft, from, 1);
	await clock.run(0);
	const only = () => {
		const [voice] = register.voices();
		if (!voice) throw new Error('no voice');
		return voice;
	};
	return { ...rig, register, made, only, clock };
}

const shown = (voice: StoredVoice, { cloning }: Pick<Rig, 'cloning'>, now: number) =>
	viewOf(voice, { cloning, isElsewhere: () => false, now });

test('the service is asked after 2 s, then less and less often, 30 s apart at last, and every 5 min after 15', () => {
	const delays = [0, 1, 2, 3, 6, 7, 20].map((asked) => nextQuestionMs(asked, 0, () => 0.5));
	expect(delays).toEqual([2000, 3000, 4500, 6750, 22_781, 30_000, 30_000]);
	expect(nextQuestionMs(9, 0, () => 0)).toBe(24_000);
	expect(nextQuestionMs(9, 0, () => 1)).toBe(36_000);
	expect(nextQuestionMs(9, 15 * MINUTE, () => 0.5)).toBe(5 * MINUTE);
	expect(nextQuestionMs(9, 24 * 60 * MINUTE, () => 0.5)).toBeNull();
});

test('a voice is followed until it is ready, told once, and its file is forgotten', async () => {
	const service = createPretendVoices();
	service.answers = ['pending', 'pending', 'ready'];
	const rig = await begun(service);
	expect(rig.only()).toMatchObject({ status: 'pending', owner: null, sentAt: expect.any(Number) });
	await rig.clock.run(9499);
	expect(service.questions()).toBe(2);
	await rig.clock.run(1);
	expect(rig.only()).toMatchObject({ status: 'ready', problem: null, sample: { path: null } });
	expect(rig.finished.map(({ status }) => status)).toEqual(['ready']);
	expect(rig.cloning.isActive(rig.only().handle)).toBe(false);
	expect(rig.clock.pending).toBe(0);
});

test('it takes long after 15 min, is asked for a day, and then no more', async () => {
	const service = createPretendVoices();
	const rig = await begun(service);
	await rig.clock.run(14 * MINUTE);
	expect(shown(rig.only(), rig, rig.clock.wall()).takingLong).toBe(false);
	await rig.clock.run(2 * MINUTE);
	expect(shown(rig.only(), rig, rig.clock.wall())).toMatchObject({ takingLong: true, active: true });
	const before = service.questions();
	await rig.clock.run(60 * MINUTE);
	expect(service.questions() - before).toBeGreaterThanOrEqual(11);
	expect(service.questions() - before).toBeLessThanOrEqual(13);
	await rig.clock.run(24 * 60 * MINUTE);
	expect(shown(rig.only(), rig, rig.clock.wall())).toMatchObject({ active: false, canRetry: true });
	expect(rig.clock.pending).toBe(0);
	service.answers = ['ready'];
	await rig.cloning.refresh(rig.only());
	expect(rig.only().status).toBe('ready');
});

test('a description that was refused leaves nothing behind; one without an answer leaves an entry that says so', async () => {
	const refused = createPretendVoices();
	const problem: Problem = { kind: 'voice-refused', status: 422, field: 'data.name', detail: 'no' };
	refused.descriptions = [{ problem, made: 'no' }];
	const rig = await begun(refused);
	expect(rig.made).toEqual({ ok: false, error: problem });
	expect(rig.register.voices()).toEqual([]);
	const silent = createPretendVoices();
	silent.descriptions = [
		{ problem: { kind: 'timed-out', what: 'clone-voice', afterMs: 15_000 }, made: 'maybe' },
	];
	const other = await begun(silent);
	expect(other.made).toMatchObject({ ok: true, value: { problem: { kind: 'voice-uncertain' } } });
	expect(shown(other.only(), other, 0)).toMatchObject({ canRetry: true, active: false });
});

test('a retry whose description is refused keeps the entry with the reason', async () => {
	const service = createPretendVoices();
	service.uploads = [{ kind: 'upload-refused', status: 403, detail: '' }];
	const rig = await begun(service);
	expect(rig.only()).toMatchObject({ status: 'created', problem: { kind: 'upload-refused' } });
	service.descriptions = [{ problem: { kind: 'no-credit', detail: '' }, made: 'no' }];
	await rig.cloning.again(rig.only());
	expect(rig.only()).toMatchObject({ problem: { kind: 'no-credit' }, voiceId: null, owner: null });
	await rig.cloning.again(rig.only());
	service.answers = ['ready'];
	await rig.clock.run(MINUTE);
	expect(rig.only().status).toBe('ready');
});

test('cancelled while it is described, nothing is sent and the answer says so', async () => {
	const described = Promise.withResolvers<void>();
	const service = createPretendVoices(() => described.promise);
	const register = createMemoryRegister();
	const rig = rigOf(register, service, createManualClock());
	const made = rig.cloning.begin(draft, file, 1);
	await settle();
	const handle = register.voices()[0]?.handle ?? '';
	const cancelled = rig.cloning.cancel(handle, { kind: 'cancelled' });
	described.resolve();
	expect(await made).toMatchObject({ ok: true, value: { problem: { kind: 'cancelled' }, owner: null } });
	await cancelled;
	expect([...service.voices.values()]).toEqual([{ status: 'created', hasSample: false }]);
});

test('two retries at once make one voice', async () => {
	const service = createPretendVoices();
	service.uploads = [{ kind: 'upload-refused', status: 403, detail: '' }];
	const rig = await begun(service);
	const voice = rig.only();
	await Promise.all([rig.cloning.again(voice), rig.cloning.again(voice)]);
	service.answers = ['ready'];
	await rig.clock.run(MINUTE);
	expect(rig.only()).toMatchObject({ status: 'ready', problem: null });
	expect([...service.voices.values()].filter(({ hasSample }) => hasSample)).toHaveLength(1);
});

test('a retry ends the upload that runs, and shows nothing of how that ended', async () => {
	const service = createPretendVoices();
	const { account } = service;
	service.account = () => {
		const made = account();
		if (!made.ok) return made;
		const upload: VoiceAccount['upload'] = (_to, { signal }) =>
			new Promise((done) => {
				signal.addEventListener('abort', () => done(err({ kind: 'cancelled' })));
			});
		return ok({ ...made.value, upload });
	};
	const rig = await begun(service);
	expect(rig.only().status).toBe('uploading');
	expect(await rig.cloning.again(rig.only())).toMatchObject({ ok: true });
	await rig.clock.run(0);
	expect(rig.only()).toMatchObject({ status: 'uploading', problem: null, owner: rig.register.owner });
	expect(service.voices.size).toBe(2);
});

const expired: Problem = { kind: 'upload-expired' };

test.each([1, 2, 3])('of %d addresses that expire the third is the last', async (count) => {
	const service = createPretendVoices();
	service.uploads = Array<Problem>(count).fill(expired);
	const rig = await begun(service);
	service.answers = ['ready'];
	await rig.clock.run(MINUTE);
	expect(service.voices.size).toBe(Math.min(3, count + 1));
	expect(rig.only()).toMatchObject(
		count < 3
			? { status: 'ready', problem: null, renewed: true, voiceId: `voice-${count + 1}` }
			: { status: 'created', problem: expired, owner: null },
	);
});

describe('asked once how it is, a voice', () => {
	const pending = { status: 'pending', sentAt: createManualClock().wall() } as const;
	async function asked(voice: StoredVoice, answers: PretendVoices['answers']) {
		const service = createPretendVoices();
		service.answers = answers;
		service.voices.set('voice-a', { status: 'pending', hasSample: true });
		const register = createMemoryRegister([voice]);
		const clock = createManualClock();
		const rig = rigOf(register, service, clock);
		const answer = await rig.cloning.refresh(voice);
		return { ...rig, service, register, clock, answer };
	}

	test('is followed from there until it is ready, which is told once', async () => {
		const rig = await asked(storedVoice('a', pending), ['pending', 'ready']);
		expect([rig.service.questions(), rig.cloning.isActive('a')]).toEqual([1, true]);
		await rig.clock.run(MINUTE);
		expect(rig.register.voices()).toMatchObject([{ status: 'ready' }]);
		expect([rig.finished.length, rig.clock.pending]).toEqual([1, 0]);
	});

	test('that is ready is not followed', async () => {
		const rig = await asked(storedVoice('a', pending), ['ready']);
		expect(rig.answer).toMatchObject({ value: { status: 'ready' } });
		await rig.cloning.idle('a');
		expect([rig.finished.length, rig.clock.pending]).toEqual([1, 0]);
	});

	test('of which nothing was sent is not followed; one never described is not asked about', async () => {
		const rig = await asked(storedVoice('a'), ['created']);
		await rig.cloning.idle('a');
		expect([rig.answer.ok, rig.service.questions(), rig.clock.pending]).toEqual([true, 1, 0]);
		const other = await asked(storedVoice('a', { voiceId: null }), ['ready']);
		expect([other.answer, other.service.questions()]).toEqual([err({ kind: 'not-found', what: 'voice' }), 0]);
	});

	test('that was forgotten meanwhile is gone', async () => {
		const service = createPretendVoices();
		service.answers = ['ready'];
		service.voices.set('voice-a', { status: 'pending', hasSample: true });
		const rig = rigOf(createMemoryRegister(), service, createManualClock());
		const gone = err({ kind: 'not-found', what: 'voice' });
		expect(await rig.cloning.refresh(storedVoice('a', pending))).toEqual(gone);
		expect(await rig.cloning.again(storedVoice('a', pending))).toEqual(gone);
		expect(await rig.cloning.again(storedVoice('a'))).toEqual(gone);
	});

	test('that is being sent is as we know it', async () => {
		const sending = Promise.withResolvers<void>();
		const service = createPretendVoices(() => sending.promise);
		const register = createMemoryRegister();
		const rig = rigOf(register, service, createManualClock());
		void rig.cloning.begin(draft, file, 1);
		await settle();
		const [voice] = register.voices();
		if (!voice) throw new Error('no voice');
		expect(await rig.cloning.refresh(voice)).toEqual(ok(voice));
		sending.resolve();
	});
});

/**
 * A program that dies at moment `at`: from then on nothing it waits for comes back. Moments are before
 * and after everything the register and the service do.
 */
async function dieAt(at: number) {
	let moments = 0;
	const dead = new Promise<never>(() => {});
	const pass = async () => {
		moments += 1;
		if (moments > at) await dead;
	};
	const service = createPretendVoices(pass);
	service.answers = ['pending', 'ready'];
	const disk = createMemoryRegister();
	const register: VoicesFile = {
		...disk,
		async change(edit) {
			await pass();
			const changed = await disk.change(edit);
			await pass();
			return changed;
		},
	};
	const clock = createManualClock();
	const rig = rigOf(register, service, clock);
	void rig.cloning.begin(draft, file, 1);
	await clock.run(MINUTE);
	return { service, disk, moments, rig };
}

/** The next program, with the same register; the one before is gone. */
async function nextProgram(service: PretendVoices, disk: MemoryRegister) {
	const register: VoicesFile = { ...disk, owner: 'next', isInUse: (owner) => owner === 'next' };
	const calm = createPretendVoices();
	for (const [id, voice] of service.voices) (calm.voices as Map<string, typeof voice>).set(id, voice);
	calm.answers = ['ready'];
	const clock = createManualClock();
	const rig = rigOf(register, calm, clock);
	const account = calm.account();
	if (!account.ok) throw new Error('no account');
	await rig.cloning.resume(account.value, disk.voices());
	await clock.run(MINUTE);
	return { rig, clock, calm };
}

test('a program may die at any moment: no voice is lost, none is left hanging, each can be finished', async () => {
	let deaths = 0;
	for (let at = 0; ; at += 1) {
		const { service, disk, moments } = await dieAt(at);
		if (service.voices.size > 0) expect(disk.voices()).toHaveLength(1);
		const next = await nextProgram(service, disk);
		const [voice] = disk.voices();
		if (voice) {
			const hasSample = [...service.voices.values()].some((one) => one.hasSample);
			const view = viewOf(voice, { cloning: next.rig.cloning, isElsewhere: () => false, now: 0 });
			if (hasSample) expect([at, view.status]).toEqual([at, 'ready']);
			else {
				expect([at, view]).toMatchObject([
					at,
					{ active: false, canRetry: true, problem: { kind: 'voice-interrupted' } },
				]);
				await next.rig.cloning.again(voice);
				await next.clock.run(MINUTE);
				expect(disk.voices()).toMatchObject([{ status: 'ready', problem: null }]);
			}
		}
		expect(next.clock.pending).toBe(0);
		if (moments <= at) break;
		deaths += 1;
	}
	expect(deaths).toBeGreaterThan(12);
});

/** A register that notes what it held after each change. */
function noting(first: readonly StoredVoice[] = [], alive?: ReadonlySet<string>) {
	const memory = createMemoryRegister(first, alive);
	const held: (StoredVoice | undefined)[] = [];
	const register: MemoryRegister = {
		...memory,
		async change(edit) {
			const changed = await memory.change(edit);
			held.push(memory.voices()[0]);
			return changed;
		},
	};
	return { register, held };
}

describe('an entry', () => {
	test('that is new says what was described, and that this program is at it', async () => {
		const { register, held } = noting();
		const described: VoiceDraft = {
			...draft,
			name: ' Ana ',
			description: ' calm ',
			attributes: [' warm '],
			denoise: true,
		};
		await rigOf(register, createPretendVoices(), createManualClock()).cloning.begin(described, file, 7);
		expect(held[0]).toEqual({
			...storedVoice(held[0]?.handle ?? ''),
			account: 'account-salt',
			voiceId: null,
			description: 'calm',
			attributes: ['warm'],
			denoise: true,
			madeAt: 7,
			consent: { at: 7, wording: CONSENT_WORDING },
			owner: 'this-process',
			sample: file,
		});
	});

	test('that is tried again is as new', async () => {
		const old = storedVoice('a', {
			status: 'failed',
			sentAt: 1,
			renewed: true,
			problem: { kind: 'cancelled' },
			warnings: ['short'],
			errors: ['noise'],
		});
		const { register, held } = noting([old]);
		const rig = rigOf(register, createPretendVoices(), createManualClock());
		expect(await rig.cloning.again(old)).toMatchObject({ ok: true });
		expect(held[0]).toEqual(storedVoice('a', { voiceId: null, owner: 'this-process' }));
	});

	test('of which the sample is there is asked about again, not made again', async () => {
		const sent = storedVoice('a', { status: 'pending', sentAt: 1, problem: { kind: 'cancelled' } });
		const service = createPretendVoices();
		const rig = rigOf(createMemoryRegister([sent]), service, createManualClock());
		expect(await rig.cloning.again(sent)).toEqual(ok({ ...sent, problem: null }));
		expect([service.voices.size, rig.cloning.isActive('a')]).toEqual([0, true]);
		await rig.cloning.stopAll(null);
	});
});

describe('where it cannot be begun', () => {
	const missing: Problem = { kind: 'api-key-missing' };
	const full: Problem = { kind: 'storage-failed', what: 'voices.json' };
	const sent = storedVoice('a', { status: 'pending', sentAt: 1 });

	test('without an account nothing is done', async () => {
		const service = { ...createPretendVoices(), account: () => err(missing) };
		const register = createMemoryRegister([sent]);
		const { cloning } = rigOf(register, service, createManualClock());
		for (const asked of [cloning.begin(draft, file, 1), cloning.again(sent), cloning.refresh(sent)]) {
			expect(await asked).toEqual(err(missing));
		}
		expect(register.voices()).toEqual([sent]);
	});

	test('without a salt, or where the entry cannot be written, the service hears of nothing', async () => {
		const service = createPretendVoices();
		for (const odd of [{ salt: async () => err(full) }, { change: async () => err(full) }]) {
			const register = { ...createMemoryRegister(), ...odd };
			const rig = rigOf(register, service, createManualClock());
			expect(await rig.cloning.begin(draft, file, 1)).toEqual(err(full));
		}
		expect(service.voices.size).toBe(0);
	});

	test('an entry that cannot be written is as one that is gone', async () => {
		const register = { ...createMemoryRegister([sent]), change: async () => err(full) };
		const rig = rigOf(register, createPretendVoices(), createManualClock());
		expect(await rig.cloning.again(sent)).toEqual(err({ kind: 'not-found', what: 'voice' }));
	});
});

describe('an upload under way', () => {
	/** A service whose upload goes on when the test says so. */
	async function uploading() {
		const service = createPretendVoices();
		const account = service.account();
		if (!account.ok) throw new Error(account.error.kind);
		const ended = Promise.withResolvers<void>();
		let progress: (bytes: number) => void = () => {};
		const upload: VoiceAccount['upload'] = async (to, options) => {
			({ progress } = options);
			await ended.promise;
			return account.value.upload(to, { ...options, progress() {} });
		};
		const clock = createManualClock();
		let changes = 0;
		const register = createMemoryRegister();
		const cloning = createCloning({
			register,
			clock,
			random: () => 0.5,
			log: silentLogger,
			isPassing: () => false,
			finished() {},
			api: { ...service, account: () => ok({ ...account.value, upload }) },
			removeRecording: async () => {},
			changed: () => {
				changes += 1;
			},
		});
		const made = await cloning.begin(draft, file, 1);
		if (!made.ok) throw new Error(made.error.kind);
		await settle();
		const { handle } = made.value;
		/** How many times it is shown when so many bytes are sent. */
		const shows = (bytes: number) => {
			const before = changes;
			progress(bytes);
			return changes - before;
		};
		return { cloning, clock, handle, shows, end: ended.resolve, changes: () => changes };
	}

	test('is shown every quarter of a second, and when all is sent', async () => {
		const { shows, clock, cloning, handle, end } = await uploading();
		expect(shows(0)).toBe(1);
		clock.advance(249);
		expect(shows(10)).toBe(0);
		clock.advance(1);
		expect(shows(20)).toBe(1);
		expect(shows(99_999)).toBe(0);
		expect(shows(100_000)).toBe(1);
		expect(cloning.progress(handle)).toMatchObject({ sentBytes: 100_000, totalBytes: 100_000 });
		end();
		await settle();
		expect(cloning.progress(handle)).toBeNull();
		await cloning.stopAll(null);
	});

	test('is known between, and not any more when it was ended', async () => {
		const { shows, cloning, handle, end, changes } = await uploading();
		expect(cloning.progress(handle)).toBeNull();
		shows(10);
		shows(20);
		expect([cloning.progress(handle)?.sentBytes, cloning.progress('another')]).toEqual([20, null]);
		const ended = cloning.cancel(handle, { kind: 'cancelled' });
		const before = changes();
		end();
		await ended;
		expect([cloning.progress(handle), cloning.isActive(handle)]).toEqual([null, false]);
		// The entry that was written, and the end of the work.
		expect(changes() - before).toBe(2);
	});
});

test('a voice whose description was refused is shown to be gone', async () => {
	const service = createPretendVoices();
	service.descriptions = [{ problem: { kind: 'no-credit', detail: '' }, made: 'no' }];
	const { register, held } = noting();
	const shown: number[] = [];
	const cloning = createCloning({
		register,
		api: service,
		clock: createManualClock(),
		random: () => 0.5,
		log: silentLogger,
		isPassing: () => true,
		finished() {},
		removeRecording: async () => {},
		changed: () => void shown.push(register.voices().length),
	});
	await cloning.begin(draft, file, 1);
	expect([held[0]?.passing, held.at(-1), shown.at(-1)]).toEqual([true, undefined, 0]);
});

test('a fault of our own ends the work, and the log has it', async () => {
	const logged: unknown[] = [];
	const service = createPretendVoices();
	const account = service.account();
	if (!account.ok) throw new Error(account.error.kind);
	const upload = () => Promise.reject(new Error('odd'));
	const cloning = createCloning({
		register: createMemoryRegister(),
		clock: createManualClock(),
		random: () => 0.5,
		isPassing: () => false,
		changed() {},
		finished() {},
		removeRecording: async () => {},
		log: { ...silentLogger, error: (...line) => void logged.push(line) },
		api: { ...service, account: () => ok({ ...account.value, upload }) },
	});
	const made = await cloning.begin(draft, file, 1);
	const handle = made.ok ? made.value.handle : '';
	await cloning.idle(handle);
	expect(logged).toEqual([['voice: our own fault', { failure: 'Error: odd' }]]);
	expect(cloning.isActive(handle)).toBe(false);
});

test.each(['description', 'question'])(
	'work that waits for the %s of a service that hangs ends at once',
	async (what) => {
		const service = createPretendVoices();
		const account = service.account();
		if (!account.ok) throw new Error(account.error.kind);
		let waiting = 0;
		const hang = (signal?: AbortSignal) =>
			new Promise<void>((done) => {
				waiting += 1;
				signal?.addEventListener('abort', () => done());
			});
		const hanging: VoiceAccount = {
			...account.value,
			async clone(_, signal) {
				await hang(signal);
				return err({ problem: { kind: 'cancelled' }, made: 'maybe' });
			},
			async read(_, signal) {
				await hang(signal);
				return err({ kind: 'cancelled' });
			},
		};
		service.account = () => ok(hanging);
		const sent = { status: 'pending', sentAt: createManualClock().wall() } as const;
		const register = createMemoryRegister(what === 'question' ? [storedVoice('a', sent)] : []);
		const clock = createManualClock();
		const { cloning } = rigOf(register, service, clock);
		if (what === 'question') await cloning.resume(hanging, register.voices());
		else void cloning.begin(draft, file, 1);
		await clock.run(2000);
		expect(waiting).toBe(1);
		const [voice] = register.voices();
		await cloning.cancel(voice?.handle ?? '', { kind: 'cancelled' });
		expect(cloning.isActive(voice?.handle ?? '')).toBe(false);
	},
);

describe('taken up again', () => {
	const request = { kind: 'voice-interrupted', stage: 'request' } as const;
	const upload = { kind: 'voice-interrupted', stage: 'upload' } as const;
	const sent = { status: 'pending', sentAt: createManualClock().wall() } as const;
	const refused: Problem = { kind: 'upload-refused', status: 403, detail: '' };

	/** The entry after a minute, the number of requests to the service, and whether work on it continues. */
	async function resumed(fields: Partial<StoredVoice>) {
		const service = createPretendVoices();
		service.voices.set('voice-a', { status: 'created', hasSample: false });
		const register = createMemoryRegister([storedVoice('a', fields)], new Set(['alive']));
		const clock = createManualClock();
		const rig = rigOf(register, service, clock);
		const account = service.account();
		if (account.ok) await rig.cloning.resume(account.value, register.voices());
		await clock.run(1000);
		const isActive = rig.cloning.isActive('a');
		const questions = service.questions();
		await rig.cloning.stopAll(null);
		return { voice: register.voices()[0], isActive, questions };
	}
	const left = (fields: Partial<StoredVoice>) => ({
		voice: storedVoice('a', fields),
		isActive: false,
		questions: 0,
	});

	test.each<[string, Partial<StoredVoice>]>([
		['that is ready', { status: 'ready' }],
		['that failed', { status: 'failed', sentAt: 1 }],
		['another program is at', { ...sent, owner: 'alive' }],
		['that was cancelled', { ...sent, problem: { kind: 'cancelled' } }],
		['that ended with a problem before its sample was there', { problem: refused }],
	])('a voice %s is left alone', async (_, fields) => {
		expect(await resumed(fields)).toEqual(left(fields));
	});

	test.each<[string, Partial<StoredVoice>]>([
		['nobody is at', sent],
		['a dead program was at', { ...sent, owner: 'dead' }],
		['this program was at', { ...sent, owner: 'this-process' }],
		['had a problem', { ...sent, problem: { kind: 'service-unreachable', cause: 'x' } }],
	])('a voice that was sent and %s is followed', async (_, fields) => {
		expect(await resumed(fields)).toEqual({ ...left(fields), isActive: true });
	});

	test('a voice that was not described says so, one that was not sent as well', async () => {
		const fields = { voiceId: null, owner: 'dead' };
		expect(await resumed(fields)).toEqual(left({ ...fields, owner: null, problem: request }));
		const described = { status: 'uploading', owner: 'dead' } as const;
		expect(await resumed(described)).toEqual({ ...left({ problem: upload }), questions: 1 });
	});

	test('each of several is: left alone, followed, asked about or told to be interrupted', async () => {
		const names = (of: string) => [`${of}1`, `${of}2`];
		const entries = [
			...names('ready').map((name) => storedVoice(name, { status: 'ready' })),
			...names('sent').map((name) => storedVoice(name, sent)),
			...names('described').map((name) => storedVoice(name, { owner: 'dead' })),
			...names('begun').map((name) => storedVoice(name, { voiceId: null, owner: 'dead' })),
		];
		const service = createPretendVoices();
		for (const { voiceId } of entries)
			if (voiceId !== null) service.voices.set(voiceId, { status: 'created', hasSample: false });
		const register = createMemoryRegister(entries);
		const clock = createManualClock();
		const { cloning } = rigOf(register, service, clock);
		const account = service.account();
		if (account.ok) await cloning.resume(account.value, register.voices());
		await clock.run(1000);
		const became = register
			.voices()
			.map(({ handle, problem }) => [handle, cloning.isActive(handle), problem]);
		expect(became).toEqual([
			...names('ready').map((name) => [name, false, null]),
			...names('sent').map((name) => [name, true, null]),
			...names('described').map((name) => [name, false, upload]),
			...names('begun').map((name) => [name, false, request]),
		]);
		await cloning.stopAll(null);
	});

	test('one that is ended while it is asked about is left as it was', async () => {
		const asked = Promise.withResolvers<void>();
		const service = createPretendVoices(() => asked.promise);
		const entry = storedVoice('a', { owner: 'dead' });
		const register = createMemoryRegister([entry]);
		const { cloning } = rigOf(register, service, createManualClock());
		const account = service.account();
		if (account.ok) await cloning.resume(account.value, [entry]);
		await settle();
		const ended = cloning.stopAll(null);
		asked.resolve();
		await ended;
		expect(register.voices()).toEqual([entry]);
	});

	test('one that is at work is not begun twice', async () => {
		const service = createPretendVoices();
		const register = createMemoryRegister([storedVoice('a', sent)]);
		const clock = createManualClock();
		const { cloning } = rigOf(register, service, clock);
		const account = service.account();
		if (!account.ok) throw new Error(account.error.kind);
		await cloning.resume(account.value, register.voices());
		await clock.run(1000);
		await cloning.resume(account.value, register.voices());
		await clock.run(1000);
		expect(service.questions()).toBe(1);
		await cloning.stopAll(null);
	});
});

test('a voice that is being followed may be asked about all the same', async () => {
	const sent = storedVoice('a', { status: 'pending', sentAt: createManualClock().wall() });
	const service = createPretendVoices();
	service.voices.set('voice-a', { status: 'pending', hasSample: true });
	const rig = rigOf(createMemoryRegister([sent]), service, createManualClock());
	await rig.cloning.again(sent);
	await rig.cloning.refresh(sent);
	expect([service.questions(), rig.cloning.isActive('a')]).toEqual([1, true]);
	let isIdle = false;
	void rig.cloning.idle('a').then(() => {
		isIdle = true;
	});
	await settle();
	expect(isIdle).toBe(false);
	await rig.cloning.stopAll(null);
	await settle();
	expect(isIdle).toBe(true);
});

describe('a question that fails', () => {
	const away: Problem = { kind: 'service-unreachable', cause: 'ENOTFOUND' };
	const sent = storedVoice('a', { status: 'pending', sentAt: createManualClock().wall() });
	function pending(pass?: (when: 'before' | 'after') => Promise<void>) {
		const service = createPretendVoices(pass);
		service.voices.set('voice-a', { status: 'pending', hasSample: true });
		const register = createMemoryRegister([sent]);
		const clock = createManualClock();
		return { ...rigOf(register, service, clock), service, register, clock };
	}

	test('leaves a voice followed as it was', async () => {
		const rig = pending();
		rig.service.answers = [away, 'ready'];
		await rig.cloning.again(sent);
		expect(await rig.cloning.refresh(sent)).toEqual(err(away));
		expect(rig.cloning.isActive('a')).toBe(true);
		await rig.clock.run(MINUTE);
		expect([rig.register.voices()[0]?.status, rig.finished.length]).toEqual(['ready', 1]);
		expect(rig.clock.pending).toBe(0);
	});

	test('leaves one that was not followed alone', async () => {
		const rig = pending();
		rig.service.answers = [away];
		expect(await rig.cloning.refresh(sent)).toEqual(err(away));
		await rig.cloning.idle('a');
		expect([rig.cloning.isActive('a'), rig.clock.pending]).toEqual([false, 0]);
	});

	test('because the voice was cancelled meanwhile does not have it followed again', async () => {
		const answering = Promise.withResolvers<void>();
		const rig = pending(() => answering.promise);
		rig.service.answers = [away];
		await rig.cloning.again(sent);
		const asked = rig.cloning.refresh(sent);
		await settle();
		const cancelled = rig.cloning.cancel('a', { kind: 'cancelled' });
		answering.resolve();
		expect(await asked).toEqual(err(away));
		await cancelled;
		expect([rig.cloning.isActive('a'), rig.clock.pending]).toEqual([false, 0]);
	});
});
