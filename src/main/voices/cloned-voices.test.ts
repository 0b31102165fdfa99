import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { VoiceAccount } from '#main/service/voice-client.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import {
	createMemoryRegister,
	createPretendVoices,
	draft,
	newFolder,
	storedVoice,
	writeSample,
} from '#test/support/voices.ts';
import { createClonedVoices, viewOf } from './cloned-voices.ts';
import { wavLength } from './samples.ts';
import { LONG_MS } from './status-polling.ts';
import type { StoredVoice, VoicesFile } from './voices-file.ts';

let folder = '';
beforeEach(() => {
	folder = newFolder();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const ACCOUNT = 'account-salt';
/** Where a manual clock begins, Unix ms. */
const START = createManualClock().wall();
const stored = (handle: string, fields: Partial<StoredVoice> = {}) =>
	storedVoice(handle, { account: ACCOUNT, ...fields });
const full: Problem = { kind: 'storage-failed', what: 'voices.json' };

interface Given {
	readonly voices?: readonly StoredVoice[];
	readonly alive?: ReadonlySet<string>;
	readonly register?: Partial<VoicesFile>;
	/** The file that the dialog returns; default a WAV file of six seconds. */
	readonly file?: string | null;
	readonly passing?: boolean;
}

/** All of it as in the app, the service and the register in memory, without any time of their own. */
function start({ voices = [], alive, register: odd = {}, file, passing = false }: Given = {}) {
	const clock = createManualClock();
	const memory = createMemoryRegister(voices, alive);
	const service = createPretendVoices();
	const chosen = file === undefined ? writeSample(folder) : file;
	const now = { ready: ok() as Result<void, Problem>, account: service.account };
	const heard: string[][] = [];
	const finished: string[] = [];
	const cloned = createClonedVoices({
		register: { ...memory, ...odd },
		api: { account: () => now.account(), credential: () => 'voice-token' },
		clock,
		random: () => 0.5,
		log: silentLogger,
		folder: join(folder, 'samples'),
		lengthOf: (_, wav) => wavLength(wav),
		isPassing: () => passing,
		ready: async () => now.ready,
		chooseFile: async () => chosen,
		finished: ({ name }) => void finished.push(name),
	});
	cloned.listen(({ voices: told, revision }) => heard.push([`${revision}`, ...told.map(({ name }) => name)]));
	const { answers } = cloned;
	const list = async () => {
		const all = await answers['voice.list'](undefined);
		if (!all.ok) throw new Error(all.error.kind);
		return all.value;
	};
	const choose = async () => {
		const sample = await answers['voice.choose-file'](undefined);
		return sample.ok ? (sample.value?.sample ?? '') : '';
	};
	return { ...cloned, answers, clock, memory, service, now, heard, finished, list, choose };
}

const unknown = { ok: false, error: { kind: 'not-found', what: 'voice' } };
const samples = () => (existsSync(join(folder, 'samples')) ? readdirSync(join(folder, 'samples')) : []);

describe('the list', () => {
	test('has the voices of the account in force, the newest first, and what else there is to say', async () => {
		const { list } = start({
			voices: [
				stored('old', { madeAt: 1 }),
				stored('new', { madeAt: 3 }),
				stored('middle', { madeAt: 2 }),
				storedVoice('other', { account: 'somebody else' }),
			],
		});
		const all = await list();
		expect(all.voices.map(({ handle }) => handle)).toEqual(['new', 'middle', 'old']);
		expect(all).toMatchObject({
			builtIn: ['default_low', 'default_high'],
			credential: 'voice-token',
			problem: null,
		});
	});

	test('says where a register is that could not be read, and why none can be read now', async () => {
		const broken = start({ register: { brokenFile: () => 'voices.json.broken' } });
		expect((await broken.list()).problem).toEqual({
			kind: 'voices-unreadable',
			keptAs: 'voices.json.broken',
		});
		const failing = start({
			voices: [stored('a')],
			register: { read: async () => err(full), brokenFile: () => 'x' },
		});
		expect(await failing.list()).toMatchObject({ voices: [], problem: full });
	});

	test('is empty without an account, and where the register has no salt', async () => {
		const rig = start({ voices: [stored('a')] });
		rig.now.account = () => err({ kind: 'api-key-missing' });
		expect((await rig.list()).voices).toEqual([]);
		const saltless = start({ voices: [stored('a')], register: { salt: async () => err(full) } });
		expect((await saltless.list()).voices).toEqual([]);
	});

	test('is told once for many changes, with the next number', async () => {
		const rig = start();
		const sample = await rig.choose();
		await rig.answers['voice.make']({ draft, sample });
		await rig.clock.run(60_000);
		expect(rig.heard.length).toBeGreaterThan(1);
		expect(rig.heard.map(([revision]) => Number(revision))).toEqual(rig.heard.map((_, at) => at + 1));
		expect(rig.heard.at(-1)).toEqual([String(rig.heard.length), draft.name]);
	});
});

describe('a sample', () => {
	test('that was not chosen after all is none; one that cannot be read is said', async () => {
		expect(await start({ file: null }).answers['voice.choose-file'](undefined)).toEqual(ok(null));
		const said = async (file: string) => {
			const chosen = await start({ file }).answers['voice.choose-file'](undefined);
			return chosen.ok ? chosen.value : chosen.error;
		};
		const name = 'away.wav';
		expect(await said(join(folder, name))).toEqual({
			kind: 'file-unreadable',
			file: name,
			reason: 'it does not exist',
		});
		const whole = writeSample(folder);
		mkdirSync(join(folder, 'f.wav'));
		expect(await said(join(folder, 'f.wav'))).toMatchObject({ reason: 'it is not a file' });
		expect(await said(join(whole, 'x.wav'))).toMatchObject({ reason: 'it cannot be opened' });
		expect(await said(whole)).toMatchObject({ name: 'me.wav', durationMs: 6000 });
	});

	test('may be one of the twenty chosen last', async () => {
		const rig = start();
		const names: string[] = [];
		for (let count = 0; count < 21; count += 1) names.push(await rig.choose());
		const [first = '', second = ''] = names;
		const make = (sample: string) => rig.answers['voice.make']({ draft, sample });
		expect(await make(first)).toMatchObject({ error: { fields: [{ field: 'sample', reason: 'missing' }] } });
		expect(await make(second)).toMatchObject({ ok: true });
	});
});

describe('a recording', () => {
	const bytes = () => readFileSync(writeSample(folder));
	const base64 = (part: Uint8Array) => Buffer.from(part).toString('base64');
	async function begin({ answers }: ReturnType<typeof start>): Promise<string> {
		const begun = await answers['voice.begin-recording']({ name: 'Mine' });
		if (!begun.ok) throw new Error(begun.error.kind);
		return begun.value.recording;
	}

	test('is what its pieces are, in order, under its name', async () => {
		const rig = start();
		const { answers } = rig;
		const recording = await begin(rig);
		const whole = bytes();
		const append = (at: number, to = whole.length) =>
			answers['voice.append-recording']({ recording, at, base64: base64(whole.subarray(at, to)) });
		expect(await append(0, 1000)).toEqual(ok());
		expect(await append(999)).toMatchObject({ error: { kind: 'bug' } });
		expect(await append(1000)).toEqual(ok());
		const [kept = ''] = samples();
		const ended = await answers['voice.end-recording']({ recording });
		expect(ended).toMatchObject({ value: { name: 'Mine.wav', bytes: whole.length, durationMs: 6000 } });
		expect(readFileSync(join(folder, 'samples', kept)).equals(whole)).toBe(true);
		expect(await answers['voice.end-recording']({ recording })).toMatchObject({
			error: { kind: 'not-found', what: 'recording' },
		});
	});

	test('has 10 MB at most, and is erased when it would have more', async () => {
		const rig = start();
		const recording = await begin(rig);
		const most = base64(new Uint8Array(10_000_000));
		const append = (at: number, piece: string) =>
			rig.answers['voice.append-recording']({ recording, at, base64: piece });
		expect(await append(0, most)).toEqual(ok());
		expect(samples()).toHaveLength(1);
		expect(await append(10_000_000, base64(new Uint8Array(1)))).toEqual(
			err({ kind: 'voice-invalid', fields: [{ field: 'sample', reason: 'too-large' }] }),
		);
		expect(samples()).toEqual([]);
		expect(await append(10_000_000, '')).toMatchObject({ error: { kind: 'not-found', what: 'recording' } });
	});

	test('is one at a time; thrown away or without its page it is erased, finished or not', async () => {
		const rig = start();
		const { answers } = rig;
		await begin(rig);
		const second = await begin(rig);
		expect(samples()).toHaveLength(1);
		await answers['voice.discard-sample']({ sample: 'another' });
		expect(samples()).toHaveLength(1);
		await answers['voice.discard-sample']({ sample: second });
		expect(samples()).toEqual([]);
		for (let finished = 0; finished < 2; finished += 1) {
			const ended = await answers['voice.end-recording']({ recording: await begin(rig) });
			if (!ended.ok || !ended.value) throw new Error('no sample');
			expect(samples()).toHaveLength(1);
			if (finished === 0) await answers['voice.discard-sample']({ sample: ended.value.sample });
		}
		await begin(rig);
		expect(samples()).toHaveLength(2);
		await rig.pageGone();
		expect(samples()).toEqual([]);
	});

	test('of more than twenty that nobody made a voice of the oldest is erased', async () => {
		const rig = start();
		const whole = base64(bytes());
		for (let count = 0; count < 21; count += 1) {
			const recording = await begin(rig);
			await rig.answers['voice.append-recording']({ recording, at: 0, base64: whole });
			expect(await rig.answers['voice.end-recording']({ recording })).toMatchObject({ ok: true });
		}
		await expect.poll(samples).toHaveLength(20);
	});

	test('of which a voice was made is erased when it is forgotten; a file of the user’s is not', async () => {
		const rig = start();
		const recording = await begin(rig);
		await rig.answers['voice.append-recording']({ recording, at: 0, base64: base64(bytes()) });
		const ended = await rig.answers['voice.end-recording']({ recording });
		const sample = ended.ok ? ended.value.sample : '';
		rig.service.uploads = [{ kind: 'upload-refused', status: 403, detail: '', code: '' }];
		const made = await rig.answers['voice.make']({ draft, sample });
		if (!made.ok) throw new Error(made.error.kind);
		await rig.clock.run(1000);
		expect(samples()).toHaveLength(1);
		await rig.answers['voice.forget']({ handle: made.value.handle, atService: false });
		expect(samples()).toEqual([]);
		rig.service.uploads = [{ kind: 'upload-refused', status: 403, detail: '', code: '' }];
		const other = await rig.answers['voice.make']({ draft, sample: await rig.choose() });
		if (!other.ok) throw new Error(other.error.kind);
		await rig.clock.run(1000);
		await rig.answers['voice.forget']({ handle: other.value.handle, atService: false });
		expect(existsSync(join(folder, 'me.wav'))).toBe(true);
	});

	test('left by a program that ended is erased once, and not what a voice still needs', async () => {
		const place = join(folder, 'samples');
		mkdirSync(place);
		const needed = join(place, 'needed.wav');
		for (const path of [needed, join(place, 'left.wav')]) writeFileSync(path, '');
		const { sample } = stored('a');
		const voice = stored('a', { status: 'ready', sample: { ...sample, recorded: true, path: needed } });
		const rig = start({ voices: [voice] });
		await rig.accountChanged();
		expect(samples()).toEqual(['needed.wav']);
		writeFileSync(join(place, 'later.wav'), '');
		await rig.accountChanged();
		expect(samples()).toHaveLength(2);
	});
});

describe('making one', () => {
	test('is not begun where a field is wrong, or the service cannot be asked; then the sample is still good', async () => {
		const rig = start();
		const sample = await rig.choose();
		const make = (fields = {}) => rig.answers['voice.make']({ draft: { ...draft, ...fields }, sample });
		expect(await make({ name: '' })).toEqual(
			err({ kind: 'voice-invalid', fields: [{ field: 'name', reason: 'missing' }] }),
		);
		rig.now.ready = err({ kind: 'sandbox-failed', reason: 'x' });
		expect(await make()).toEqual(rig.now.ready);
		rig.now.ready = ok();
		const refused: Problem = { kind: 'voice-refused', status: 422, field: 'name', detail: '', code: '' };
		rig.service.descriptions = [{ problem: refused, made: 'no' }];
		expect(await make()).toEqual(err(refused));
		expect(rig.memory.voices()).toEqual([]);
		expect(await make()).toMatchObject({ ok: true, value: { name: draft.name, active: true } });
	});

	test('pressed twice makes one', async () => {
		const rig = start();
		const sample = await rig.choose();
		const twice = await Promise.all([1, 2].map(() => rig.answers['voice.make']({ draft, sample })));
		expect(twice).toMatchObject([
			{ ok: true },
			{ error: { kind: 'voice-invalid', fields: [{ field: 'sample', reason: 'missing' }] } },
		]);
		expect(rig.memory.voices()).toHaveLength(1);
	});

	test('ends with the news that it is ready', async () => {
		const rig = start();
		rig.service.answers = ['ready'];
		await rig.answers['voice.make']({ draft, sample: await rig.choose() });
		await rig.clock.run(60_000);
		expect(rig.finished).toEqual([draft.name]);
		expect((await rig.list()).voices).toMatchObject([{ status: 'ready', active: false, canRetry: false }]);
	});
});

describe('a voice that is there', () => {
	const sent = { status: 'pending', sentAt: START } as const;

	test('of another account, or nobody’s, is none', async () => {
		const rig = start({ voices: [storedVoice('a', { account: 'somebody else' })] });
		for (const handle of ['a', 'nobody']) {
			expect(await rig.answers['voice.cancel']({ handle })).toEqual(unknown);
			expect(await rig.answers['voice.retry']({ handle })).toEqual(unknown);
			expect(await rig.answers['voice.refresh']({ handle })).toEqual(unknown);
			expect(await rig.answers['voice.rename']({ handle, name: 'Other' })).toEqual(unknown);
			expect(await rig.answers['voice.forget']({ handle, atService: true })).toEqual(ok());
		}
		expect(rig.memory.voices()).toHaveLength(1);
	});

	test('that is cancelled is asked about no more; one that is ready stays as it is', async () => {
		const final = [stored('r', { status: 'ready' }), stored('f', { status: 'failed' })];
		const rig = start({ voices: [stored('a', sent), stored('b', sent), ...final] });
		const cancelled = { kind: 'cancelled' };
		expect(await rig.answers['voice.cancel']({ handle: 'a' })).toMatchObject({
			value: { problem: cancelled, canRetry: true },
		});
		expect(await rig.answers['voice.cancel']({ handle: 'r' })).toMatchObject({ value: { problem: null } });
		expect(await rig.answers['voice.cancel']({ handle: 'f' })).toMatchObject({ value: { problem: null } });
		expect(rig.memory.voices().map(({ problem }) => problem)).toEqual([cancelled, null, null, null]);
	});

	test('is tried again where that is of use, and when the service can be asked', async () => {
		const gone: Problem = { kind: 'cancelled' };
		const rig = start({
			voices: [stored('a', { ...sent, problem: gone }), stored('r', { status: 'ready', sentAt: 1 })],
		});
		const retry = (handle: string) => rig.answers['voice.retry']({ handle });
		rig.now.ready = err({ kind: 'sandbox-failed', reason: 'x' });
		expect(await retry('a')).toEqual(rig.now.ready);
		rig.now.ready = ok();
		expect(await retry('r')).toMatchObject({ value: { status: 'ready', active: false } });
		expect(await retry('a')).toMatchObject({ value: { problem: null, active: true } });
	});

	test('has another name here, if that is one and can be written', async () => {
		const rig = start({ voices: [stored('a'), stored('b')] });
		const rename = (name: string, of = rig) => of.answers['voice.rename']({ handle: 'a', name });
		// The rest of the form is not checked.
		expect(await rename('!')).toMatchObject({ error: { kind: 'voice-invalid', fields: { length: 1 } } });
		expect(await rename(' New name ')).toMatchObject({ value: { handle: 'a', name: 'New name' } });
		expect(rig.memory.voices().map(({ name }) => name)).toEqual(['New name', 'Ana']);
		expect(rig.heard.at(-1)).toEqual(['1', 'New name', 'Ana']);
		const failing = start({ voices: [stored('a')], register: { change: async () => err(full) } });
		expect(await rename('New', failing)).toEqual(err(full));
	});

	test('is forgotten here, at the service only where that is asked and done first', async () => {
		const rig = start({ voices: [stored('a'), stored('b'), stored('c', { voiceId: null })] });
		const removed: string[] = [];
		let answer: Result<void, Problem> = ok();
		const account = rig.service.account();
		if (!account.ok) throw new Error();
		const remove = async (id: string) => {
			removed.push(id);
			return answer;
		};
		rig.now.account = () => ok({ ...account.value, remove });
		const forget = (handle: string, atService: boolean) => rig.answers['voice.forget']({ handle, atService });
		const left = () => rig.memory.voices().map(({ handle }) => handle);
		expect(await forget('a', false)).toEqual(ok());
		expect([left(), removed]).toEqual([['b', 'c'], []]);
		answer = err({ kind: 'service-unreachable', cause: 'x' });
		expect(await forget('b', true)).toEqual(answer);
		expect([left(), removed]).toEqual([['b', 'c'], ['voice-b']]);
		answer = ok();
		expect(await forget('b', true)).toEqual(ok());
		expect(await forget('c', true)).toEqual(ok());
		expect([left(), removed]).toEqual([[], ['voice-b', 'voice-b']]);
		expect(rig.heard.at(-1)?.slice(1)).toEqual([]);
	});

	test('is followed on where it could not be forgotten', async () => {
		const rig = start({ voices: [stored('a', sent)] });
		rig.service.voices.set('voice-a', { status: 'pending', hasSample: true });
		await rig.accountChanged();
		const account = rig.service.account();
		if (!account.ok) throw new Error();
		const away = err<Problem>({ kind: 'service-unreachable', cause: 'x' });
		rig.now.account = () => ok({ ...account.value, remove: async () => away });
		expect(await rig.answers['voice.forget']({ handle: 'a', atService: true })).toEqual(away);
		expect((await rig.list()).voices).toMatchObject([{ status: 'pending', active: true }]);
		rig.service.answers = ['ready'];
		await rig.clock.run(60_000);
		expect([rig.memory.voices()[0]?.status, rig.finished]).toEqual(['ready', ['Ana']]);
	});

	test('is followed on where the register cannot be written', async () => {
		const rig = start({ voices: [stored('a', sent)], register: { change: async () => err(full) } });
		await rig.accountChanged();
		expect(await rig.answers['voice.forget']({ handle: 'a', atService: false })).toEqual(err(full));
		expect((await rig.list()).voices).toMatchObject([{ active: true }]);
	});

	test('is asked about no more once it is forgotten', async () => {
		const rig = start({ voices: [stored('a', sent)] });
		rig.service.voices.set('voice-a', { status: 'pending', hasSample: true });
		await rig.accountChanged();
		expect(rig.clock.pending).toBe(1);
		expect(await rig.answers['voice.forget']({ handle: 'a', atService: true })).toEqual(ok());
		expect([rig.memory.voices(), rig.clock.pending]).toEqual([[], 0]);
	});

	test('stays where the register cannot be written', async () => {
		const rig = start({ voices: [stored('a')], register: { change: async () => err(full) } });
		expect(await rig.answers['voice.forget']({ handle: 'a', atService: false })).toEqual(err(full));
	});
});

/** A voice that is being made, whose description the service takes only when it is told to. */
async function makesSlowly(rig: ReturnType<typeof start>) {
	const first = rig.service.account();
	if (!first.ok) throw new Error();
	const mine = first.value;
	const { promise: described, resolve: answer } = Promise.withResolvers<void>();
	rig.now.account = () =>
		ok({
			...mine,
			async clone(...given) {
				await described;
				return mine.clone(...given);
			},
		});
	await rig.accountChanged();
	const sample = await rig.choose();
	const making = rig.answers['voice.make']({ draft, sample });
	await rig.clock.run(10);
	return { mine, answer, making };
}

describe('another account', () => {
	const work = { status: 'pending', sentAt: START } as const;

	test('ends what runs for the one before, and takes up its own; the same one again ends nothing', async () => {
		const mine = stored('a', work);
		const other = storedVoice('b', { account: 'other-salt', ...work });
		const rig = start({ voices: [mine, other] });
		for (const { voiceId } of [mine, other])
			rig.service.voices.set(voiceId ?? '', { status: 'pending', hasSample: true });
		const first = rig.service.account();
		if (!first.ok) throw new Error();
		await rig.accountChanged();
		const active = async () => (await rig.list()).voices.map(({ handle, active: is }) => [handle, is]);
		expect(await active()).toEqual([['a', true]]);
		await rig.accountChanged();
		expect(await active()).toEqual([['a', true]]);
		rig.now.account = () => ok({ ...first.value, hash: (salt: string) => `other-${salt}` });
		await rig.accountChanged();
		expect(await active()).toEqual([['b', true]]);
		rig.now.account = () => err({ kind: 'api-key-missing' });
		await rig.accountChanged();
		rig.now.account = () => first;
		expect(await active()).toEqual([['a', false]]);
	});

	test('that is the same one interrupts nothing that is being made', async () => {
		const rig = start();
		const { answer, making } = await makesSlowly(rig);
		const again = rig.accountChanged();
		await rig.clock.run(10);
		answer();
		expect(await making).toMatchObject({ ok: true, value: { problem: null, active: true } });
		await again;
		await rig.clock.run(60_000);
		expect((await rig.list()).voices).toMatchObject([{ problem: null, canRetry: false }]);
	});

	test('and back again while a description is waited for: a voice is followed by its own account alone', async () => {
		const rig = start({ voices: [stored('a', work)] });
		rig.service.voices.set('voice-a', { status: 'pending', hasSample: true });
		const { mine, answer, making } = await makesSlowly(rig);
		const readBy: string[] = [];
		const reads = (who: string): VoiceAccount => ({
			...mine,
			hash: (salt) => (who === 'mine' ? mine.hash(salt) : who),
			read(...given) {
				readBy.push(who);
				return mine.read(...given);
			},
		});
		rig.now.account = () => ok(reads('other'));
		const away = rig.accountChanged();
		await rig.clock.run(10);
		rig.now.account = () => ok(reads('mine'));
		const back = rig.accountChanged();
		await rig.clock.run(10);
		answer();
		await Promise.all([making, away, back]);
		await rig.clock.run(60_000);
		expect(new Set(readBy)).toEqual(new Set(['mine']));
	});

	test('forgets voices of a service that ended with its program, unless that program lives', async () => {
		const passing = { account: 'sandbox', passing: true } as const;
		const rig = start({
			voices: [
				storedVoice('gone', passing),
				storedVoice('elsewhere', { ...passing, owner: 'alive' }),
				storedVoice('dead', { ...passing, owner: 'dead' }),
				storedVoice('other', { account: 'other' }),
				stored('own', { passing: true, status: 'ready' }),
			],
			alive: new Set(['alive']),
		});
		await rig.accountChanged();
		expect(rig.memory.voices().map(({ handle }) => handle)).toEqual(['elsewhere', 'other', 'own']);
	});

	test('lets go of the register at the end', async () => {
		let isLeft = false;
		const rig = start({
			register: {
				close: () => {
					isLeft = true;
				},
			},
		});
		await rig.close();
		expect([isLeft, rig.clock.pending]).toEqual([true, 0]);
	});

	test('changes nothing after the end, which leaves what was not sent to the next time', async () => {
		const rig = start();
		await rig.answers['voice.make']({ draft, sample: await rig.choose() });
		await rig.close();
		expect((await rig.list()).voices).toMatchObject([{ active: false, canRetry: true }]);
		const before = rig.heard.length;
		await rig.accountChanged();
		expect(rig.heard).toHaveLength(before);
		expect((await rig.list()).voices).toMatchObject([{ active: false }]);
		expect(rig.clock.pending).toBe(0);
	});
});

test('a voice that another program works on is shown as active, and only while that lives', async () => {
	const voices = ['alive', 'dead', 'this-process', null].map((owner, at) =>
		stored(`${owner}`, { owner, madeAt: at }),
	);
	const rig = start({ voices, alive: new Set(['alive']) });
	expect((await rig.list()).voices.map(({ handle, active }) => [handle, active])).toEqual([
		['null', false],
		['this-process', false],
		['dead', false],
		['alive', true],
	]);
});

const NOW = 10 * LONG_MS;
const upload = { sentBytes: 1, totalBytes: 2, bytesPerS: 3, secondsLeft: 4 };
const view = (fields: Partial<StoredVoice>, isActive = false, isElsewhere = false) =>
	viewOf(storedVoice('a', fields), {
		cloning: { isActive: () => isActive, progress: () => null },
		isElsewhere: () => isElsewhere,
		now: NOW,
	});

test('an entry is shown as it is, but for whose it is and where its sample lies', () => {
	const { account, owner, passing, sentAt, ...shown } = storedVoice('a');
	const asked: string[] = [];
	const seen = viewOf(storedVoice('a'), {
		cloning: {
			isActive: (handle) => asked.push(handle) < 0,
			progress: (handle) => (handle === 'a' ? upload : null),
		},
		isElsewhere: () => false,
		now: NOW,
	});
	expect(seen).toEqual({
		...shown,
		sample: { name: 'me.wav', bytes: 100_000, durationMs: 30_000, recorded: false },
		active: false,
		upload,
		takingLong: false,
		canRetry: true,
	});
	expect(asked).toEqual(['a']);
});

test('it is active here or in another program, and cannot be tried again meanwhile', () => {
	for (const seen of [view({}, true), view({}, false, true)]) {
		expect([seen.active, seen.canRetry]).toEqual([true, false]);
	}
});

test.each<[StoredVoice['status'], number | null, boolean]>([
	['pending', NOW - LONG_MS, true],
	['pending', NOW - LONG_MS + 1, false],
	['pending', null, false],
	['unknown', NOW - LONG_MS, true],
	['ready', NOW - LONG_MS, false],
	['failed', NOW - LONG_MS, false],
])('%s, sent at %s, it takes long: %j', (status, sentAt, takingLong) => {
	expect(view({ status, sentAt }).takingLong).toBe(takingLong);
});

test.each<[StoredVoice['status'], number | null, string | null, boolean]>([
	['ready', 1, '/x', false],
	['pending', 1, null, true],
	['pending', 1, '/x', true],
	['failed', 1, null, false],
	['failed', 1, '/x', true],
	['created', null, null, false],
	['created', null, '/x', true],
])('%s, sent at %s, its sample at %s, it can be tried again: %j', (status, sentAt, path, canRetry) => {
	const { sample } = storedVoice('a');
	expect(view({ status, sentAt, sample: { ...sample, path } }).canRetry).toBe(canRetry);
});

test('a service that hangs does not keep the end from erasing what was recorded, in the time there is', async () => {
	const folder = newFolder();
	onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
	const clock = createManualClock();
	const memory = createMemoryRegister([]);
	let asked = 0;
	const service = createPretendVoices((when) => {
		if (when === 'before') asked += 1;
		return new Promise(() => {});
	});
	const { answers, close } = createClonedVoices({
		register: memory,
		api: { account: service.account, credential: () => 'voice-token' },
		clock,
		random: () => 0.5,
		log: silentLogger,
		folder: join(folder, 'samples'),
		lengthOf: (_, wav) => wavLength(wav),
		isPassing: () => false,
		ready: async () => ok(),
		chooseFile: async () => writeSample(folder),
		finished() {},
	});
	const chosen = await answers['voice.choose-file'](undefined);
	const sample = (chosen.ok && chosen.value?.sample) || '';
	void answers['voice.make']({ draft, sample });
	await expect.poll(() => asked).toBe(1);
	await answers['voice.begin-recording']({ name: 'Mine' });
	const samples = () => readdirSync(join(folder, 'samples'));
	expect(samples()).toHaveLength(1);
	const closed = close();
	// A quarter of what the program allows for it is left (lifecycle.ts).
	await clock.run(1500);
	// Then the program ends.
	await closed;
	expect(samples()).toEqual([]);
});
