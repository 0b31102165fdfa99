import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Problem } from '#shared/problem.ts';
import type { ServerMessage } from '#shared/protocol/server-message.ts';
import { choices, createRig, nothingOpen } from '#test/support/conversation-rig.ts';
import type { ScriptedTransport, TransportScript } from '#test/support/scripted-transport.ts';

const full: Problem = { kind: 'session-limit', detail: '' };
const offline: Problem = { kind: 'service-unreachable', cause: 'ENETUNREACH' };
const one = { sessions: 1, rooms: 1, microphone: true };
const two = { sessions: 2, rooms: 2, microphone: true };
/** Time for a create, a join and a running task. */
const COMES_MS = 1200;

type Rig = ReturnType<typeof createRig>;

async function live(script: Parameters<typeof createRig>[0] = {}) {
	const rig = createRig(script);
	const phases: string[] = [];
	await rig.goLive();
	let before = rig.view().phase;
	rig.conversation.store.subscribe(({ phase }) => {
		if (phase !== before) phases.push(phase);
		before = phase;
	});
	return { ...rig, phases };
}

const expire = (rig: Rig, leftMs = 50_000, handle = `session-${rig.created()}`) =>
	rig.announce('session.expiring', { handle, leftMs });

function text(kind: 'source' | 'translation', final: boolean, id: string, said: string): ServerMessage {
	const language = kind === 'source' ? 'en' : 'es';
	const place = { transcriptionId: id, partId: '0', startS: null, endS: null };
	return { type: 'transcript', kind, final, language, text: said, ...place };
}
const rowsOf = (rig: Rig) => {
	const { captions } = rig.conversation;
	const count = captions.store.getState().rows;
	return Array.from({ length: count }, (_, index) => {
		const row = captions.row(index);
		return [row?.source?.text, row?.translations[0]?.text, row?.source?.cutOff === true];
	});
};
const lost = (rig: Rig) => rig.conversation.captions.finals().filter(({ kind }) => kind === 'lost');
const hears = ({ microphones }: ScriptedTransport) => microphones.at(-1)?.id ?? microphones.at(-1);
const commands = ({ sent }: ScriptedTransport) => sent.map(({ message_type: name }) => name);
function room(rig: Rig, index: number): ScriptedTransport {
	const found = rig.rooms[index];
	if (!found) throw new Error(`no room ${index}`);
	return found;
}

describe.each(['current', 'older'] as const)('a session that cannot be kept, %s generation', (generation) => {
	const rooms: Partial<TransportScript>[] = [{ generation, tailMs: 3000 }];

	it('is followed by another that is joined and confirmed before it is left, at a pause, without a gap', async () => {
		const rig = await live({ rooms });
		const [old] = rig.rooms;
		if (!old) throw new Error('no room');
		expire(rig);
		await rig.clock.run(200);
		old.say(text('source', false, 'a', 'One sen'));
		await rig.clock.run(3000);
		const next = room(rig, 1);
		// Joined, confirmed, and deaf; the one in use hears on.
		expect([next.task, hears(next), hears(old), rig.open()]).toEqual(['running', null, 'track-0', two]);
		expect(rig.watchesPauses()).toBe(true);
		old.say(text('source', true, 'a', 'One sentence.'));
		rig.pausesFor(700);
		expect([hears(next), hears(old), rig.watchesPauses()]).toEqual(['track-0', null, false]);
		await rig.clock.run(100);
		expect(commands(old).at(-1)).toBe('end_task');
		// Its translation is still to come, while the next sentence is heard by the other, which counts anew.
		next.say(text('source', false, 'a', 'Another'));
		old.say(text('translation', true, 'a', 'Una frase.'));
		next.say(text('source', true, 'a', 'Another one.'));
		next.say(text('translation', true, 'a', 'Otra.'));
		expect(rowsOf(rig)).toEqual([
			['One sentence.', 'Una frase.', false],
			['Another one.', 'Otra.', false],
		]);
		expect(rig.open()).toEqual(two);
		await rig.clock.run(3600);
		expect([rig.open(), old.state, rig.created()]).toEqual([one, 'closed', 2]);
		expect([rig.phases, lost(rig), rig.view().notice]).toEqual([[], [], null]);
		rig.conversation.stop();
		await rig.clock.run(10_000);
		expect([rig.view().phase, rig.open()]).toEqual(['idle', nothingOpen]);
	});

	it('answers for what was typed before the other took over, which stays one row', async () => {
		const rig = await live({ rooms });
		expire(rig);
		await rig.clock.run(3000);
		rig.conversation.say({ text: 'Good morning', language: 'en', translate: true });
		await rig.clock.run(50);
		expect(commands(room(rig, 0)).at(-1)).toBe('tts_task');
		rig.pausesFor(700);
		expect(hears(room(rig, 1))).toBe('track-0');
		const old = room(rig, 0);
		old.say({
			type: 'task-status',
			command: 'tts_task',
			event: 'queued',
			status: 'running',
			transcriptionId: 't9',
		});
		old.say(text('source', true, 't9', 'Good morning.'));
		old.say(text('translation', true, 't9', 'Buenos días'));
		expect(rowsOf(rig)).toEqual([['Good morning', 'Buenos días', false]]);
		// Longer than an answer is waited for.
		await rig.clock.run(7000);
		expect(rig.conversation.captions.row(0)?.typed).toEqual({ is: 'taken' });
	});

	it('is left although its end is never said: six seconds after the last word of it', async () => {
		const rig = await live({ rooms: [{ generation, tailMs: null }, { generation }] });
		expire(rig);
		await rig.clock.run(4000);
		rig.pausesFor(700);
		await rig.clock.run(3000);
		room(rig, 0).say(text('translation', true, 'a', 'Una frase.'));
		await rig.clock.run(5990);
		expect(rig.open()).toEqual(two);
		await rig.clock.run(20);
		expect(rig.open()).toEqual(one);
	});

	it('goes on with the successor, however far it is, when it dies before that took over', async () => {
		for (let afterMs = 0; afterMs < 1500; afterMs += 50) {
			const rig = await live({ rooms });
			expire(rig);
			await rig.clock.run(afterMs);
			room(rig, 0).down({ kind: 'connection-lost', reason: 'server-shutdown' });
			rig.sessionLost('session-1', 'deleted');
			await rig.clock.run(COMES_MS + 2500);
			expect([rig.view().phase, rig.created(), rig.open()], `${afterMs}`).toEqual(['live', 2, one]);
			expect([hears(room(rig, 1)), room(rig, 1).task]).toEqual(['track-0', 'running']);
			// Speech during the gap is marked as lost.
			const gapMs = lost(rig).reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);
			expect(gapMs).toBeLessThanOrEqual(COMES_MS + 2200 - afterMs);
		}
	});

	it('dying while the other waits for a pause, it leaves captions and voice to it at once', async () => {
		const rig = await live({ rooms });
		const track = { kind: 'audio', id: 'new' } as MediaStreamTrack;
		room(rig, 0).say(text('source', true, 'a', 'One.'));
		expire(rig);
		await rig.clock.run(3000);
		room(rig, 1).tell({ type: 'voice', language: 'es', track });
		expect(rig.mixerCalls).not.toContain('voice es new');
		room(rig, 0).down({ kind: 'connection-lost', reason: 'server-shutdown' });
		room(rig, 1).say(text('source', true, 'a', 'Two.'));
		expect(rowsOf(rig).map(([source]) => source)).toEqual(['One.', 'Two.']);
		expect(rig.mixerCalls).toContain('voice es new');
		await rig.clock.run(100);
		expect([rig.view().phase, rig.open(), hears(room(rig, 1))]).toEqual(['live', one, 'track-0']);
	});

	it('is closed with its successor on Stop, at every moment', async () => {
		for (let afterMs = 0; afterMs < 6000; afterMs += 90) {
			const rig = await live({ rooms, deletionMs: 200 });
			rig.clock.after(3000, () => rig.pausesFor(700));
			expire(rig);
			await rig.clock.run(afterMs);
			rig.conversation.stop();
			rig.conversation.stop();
			expect(rig.open().microphone).toBe(false);
			await rig.clock.run(500);
			expect([rig.view().phase, rig.open()], `${afterMs}`).toEqual(['idle', nothingOpen]);
			const closed = rig.asked.filter(({ name }) => name === 'session.close');
			expect(closed.length, 'each deleted once').toBe(rig.created());
		}
	});
});

describe('when and how a session is replaced', () => {
	it('begins a minute before its end, and not before', async () => {
		const rig = await live();
		expire(rig, 61_000);
		await rig.clock.run(999);
		expect(rig.created()).toBe(1);
		expire(rig, 60_001);
		await rig.clock.run(2);
		expect(rig.created()).toBe(2);
		// Told again, it is still the same end.
		expire(rig, 55_000, 'session-1');
		await rig.clock.run(3000);
		expect([rig.created(), rig.open()]).toEqual([2, two]);
	});

	it.each([
		[0, 699, 700],
		[7900, 699, 700],
		[8000, 349, 350],
		[13_900, 349, 350],
		[14_000, 149, 150],
	])('after %d ms a pause of %d ms is too short, and one of %d ms is not', async (waitMs, short, enough) => {
		const rig = await live();
		expire(rig);
		await rig.clock.run(300);
		while (!rig.watchesPauses()) await rig.clock.run(10);
		await rig.clock.run(waitMs);
		rig.pausesFor(short);
		expect(hears(room(rig, 1))).toBeNull();
		rig.pausesFor(enough);
		expect(hears(room(rig, 1))).toBe('track-0');
	});

	it.each([
		['a session that runs out', 20_000, (rig: Rig) => expire(rig)],
		['a server that wants to be left', 4000, (rig: Rig) => room(rig, 0).tell({ type: 'leaving' })],
	] as const)('waits for a pause as long as it may: %s', async (_what, limitMs, want) => {
		const rig = await live();
		want(rig);
		await rig.clock.run(300);
		while (!rig.watchesPauses()) await rig.clock.run(10);
		await rig.clock.run(limitMs - 20);
		expect(hears(room(rig, 1))).toBeNull();
		await rig.clock.run(40);
		expect([hears(room(rig, 1)), hears(room(rig, 0)), rig.phases]).toEqual(['track-0', null, []]);
	});

	it('leaves a server that asks for it at the first short pause, whatever else is planned', async () => {
		const rig = await live();
		expire(rig);
		await rig.clock.run(COMES_MS);
		room(rig, 0).tell({ type: 'leaving' });
		rig.pausesFor(149);
		expect(hears(room(rig, 1))).toBeNull();
		rig.pausesFor(150);
		expect([hears(room(rig, 1)), rig.created()]).toEqual(['track-0', 2]);
	});

	it('waits for no pause of a muted microphone, and in a pause of the conversation takes none', async () => {
		const muted = await live();
		muted.conversation.setMuted(true);
		expire(muted);
		await muted.clock.run(3000);
		expect(hears(room(muted, 1))).toBe('track-0');

		const paused = await live();
		paused.conversation.pause();
		await paused.clock.run(3000);
		expire(paused);
		await paused.clock.run(3000);
		expect([paused.view().paused, paused.created(), paused.open()]).toEqual([
			true,
			2,
			{ sessions: 1, rooms: 1, microphone: false },
		]);
		expect([commands(room(paused, 1)), hears(room(paused, 1))]).toEqual([[], undefined]);
		paused.conversation.resume();
		await paused.clock.run(3000);
		expect([hears(room(paused, 1)), room(paused, 1).task]).toEqual(['track-1', 'running']);
	});

	it('gives a microphone that is plugged in meanwhile to the one that hears', async () => {
		const rig = await live();
		expire(rig);
		await rig.clock.run(3000);
		const track = { kind: 'audio', id: 'other' } as MediaStreamTrack;
		rig.microphoneSays({ type: 'replaced', track, from: 'A', to: 'B' });
		expect([hears(room(rig, 0)), hears(room(rig, 1))]).toEqual(['other', null]);
		rig.pausesFor(700);
		expect([hears(room(rig, 0)), hears(room(rig, 1))]).toEqual([null, 'other']);
	});

	it('takes a language that was chosen meanwhile over to the successor', async () => {
		const rig = await live();
		expire(rig);
		await rig.clock.run(3000);
		rig.conversation.change({ ...choices, hear: ['fr'], voiceOf: 'fr' });
		await rig.clock.run(3000);
		expect(rig.view().change).toBe('applied');
		rig.pausesFor(700);
		await rig.clock.run(5000);
		const tasks = room(rig, 1).sent.flatMap((command) =>
			command.message_type === 'set_task'
				? command.data.pipeline.translations.map(({ target_language: target }) => target)
				: [],
		);
		expect([tasks, rig.view().change, rig.phases]).toEqual([['es', 'fr'], 'applied', []]);
	});

	it('lets the voice of the one before finish before the other is heard', async () => {
		const rig = await live();
		const voice = (id: string) => ({ kind: 'audio', id }) as MediaStreamTrack;
		room(rig, 0).tell({ type: 'voice', language: 'es', track: voice('old') });
		expire(rig);
		await rig.clock.run(3000);
		room(rig, 1).tell({ type: 'voice', language: 'es', track: voice('new') });
		rig.pausesFor(700);
		expect(rig.mixerCalls.filter((call) => call.startsWith('voice'))).toEqual(['voice es old']);
		await rig.clock.run(1500);
		expect(rig.mixerCalls.filter((call) => call.startsWith('voice')).at(-1)).toBe('voice es new');
		expect(rig.mixerCalls).not.toContain('voice es none');
	});

	it('can be replaced in its turn, also when that is told while the one before is still heard', async () => {
		const rig = await live({ rooms: [{ tailMs: 2000 }] });
		expire(rig);
		await rig.clock.run(3000);
		rig.pausesFor(700);
		expire(rig, 10_000, 'session-2');
		await rig.clock.run(6000);
		expect(rig.created()).toBe(3);
		rig.pausesFor(700);
		await rig.clock.run(3000);
		expect([hears(room(rig, 2)), rig.open(), rig.phases]).toEqual(['track-0', one, []]);
	});
});

describe('where no successor is to be had', () => {
	it('goes on as it did where the plan has no place for two, and one follows the other with the gap marked', async () => {
		const rig = await live({ sessions: [null, full] });
		expire(rig);
		await rig.clock.run(30_000);
		expect([rig.created(), rig.open(), rig.phases, rig.view().notice]).toEqual([2, one, [], null]);
		room(rig, 0).down({ kind: 'connection-lost', reason: 'server-shutdown' });
		await rig.clock.run(3000);
		expect([rig.phases, rig.created(), rig.open()]).toEqual([['reconnecting', 'live'], 3, one]);
		expect(lost(rig)).toHaveLength(1);
	});

	it.each([
		['is never joined', { open: 'never' }, 16_000],
		['never confirms its task', { readyMs: 1e9, generation: 'older' }, 20_000],
	] as const)('gives up one that %s, and that one alone, in its time', async (_which, script, limitMs) => {
		const rig = await live({ rooms: [{}, script, {}] });
		expire(rig);
		while (rig.rooms.length < 2) await rig.clock.run(10);
		if (limitMs === 20_000) await rig.clock.run(50);
		await rig.clock.run(limitMs - 20);
		expect(rig.open()).toEqual(two);
		await rig.clock.run(40);
		expect([rig.open(), rig.phases, rig.view().notice]).toEqual([one, [], null]);
	});

	it('goes on with the old one when one fails, tries again later, and not for ever', async () => {
		const rig = await live({ sessions: [null, offline, null], rooms: [{}, { open: offline }, {}] });
		expire(rig);
		await rig.clock.run(1500);
		expect([rig.created(), rig.open()]).toEqual([2, one]);
		await rig.clock.run(20_000);
		expect(rig.rooms.length).toBe(3);
		expect(rig.watchesPauses()).toBe(true);
		rig.pausesFor(700);
		await rig.clock.run(3000);
		expect([hears(room(rig, 2)), rig.open(), rig.phases]).toEqual(['track-0', one, []]);

		const hopeless = await live({ sessions: [null, ...Array.from({ length: 40 }, () => offline)] });
		expire(hopeless);
		await hopeless.clock.run(600_000);
		expect([hopeless.created(), hopeless.open(), hopeless.phases]).toEqual([7, one, []]);
	});

	it('drops one that dies while it waits for a pause, and one that was ended in the list ends all', async () => {
		const rig = await live();
		expire(rig);
		await rig.clock.run(3000);
		room(rig, 1).restoring('media');
		await rig.clock.run(50);
		expect([rig.open(), rig.watchesPauses(), hears(room(rig, 0))]).toEqual([one, false, 'track-0']);
		await rig.clock.run(6000);
		expect(rig.open()).toEqual(two);
		const problem: Problem = { kind: 'session-lost', cause: 'ended-by-user' };
		rig.announce('session.lost', { handle: `session-${rig.created()}`, problem });
		await rig.clock.run(100);
		expect([rig.view().phase, rig.open()]).toEqual(['idle', nothingOpen]);
	});

	it('forgets it over a sleep, and where the conversation takes another way', async () => {
		const rig = await live();
		expire(rig);
		await rig.clock.run(3000);
		rig.announce('power.changed', { event: 'suspend' });
		await rig.clock.run(100);
		expect(rig.open()).toEqual({ sessions: 1, rooms: 1, microphone: false });
	});
});

describe('by a socket', () => {
	const travel = { route: 'websocket', mayFallBack: false } as const;

	it.each(['current', 'older'] as const)('hands over in the same way (%s)', async (generation) => {
		const rig = await live({ travel, sockets: [{ generation, tailMs: 2000 }] });
		rig.socket().tell({ type: 'leaving' });
		await rig.clock.run(2600);
		const [old, next] = rig.sockets.map(({ link }) => link);
		if (!old || !next) throw new Error('no socket');
		expect([next.task, hears(next), hears(old), rig.wishes.at(-1)]).toEqual([
			'running',
			null,
			'track-0',
			{ keepSpeech: false },
		]);
		rig.pausesFor(150);
		await rig.clock.run(100);
		expect([hears(next), hears(old), rig.open().rooms]).toEqual(['track-0', null, 2]);
		await rig.clock.run(3000);
		expect([rig.open(), rig.phases, lost(rig)]).toEqual([
			{ sessions: 0, rooms: 1, microphone: true },
			[],
			[],
		]);
	});
});

it('whatever happens to both, and when: one of them is left, one hears the speaker, and none says a word twice', async () => {
	const moment = fc.integer({ min: 0, max: 8000 });
	await fc.assert(
		fc.asyncProperty(
			fc.record({
				generation: fc.constantFrom('current' as const, 'older' as const),
				open: fc.constantFrom<TransportScript['open']>('well', 'well', 'never', offline, full),
				openMs: fc.integer({ min: 0, max: 3000 }),
				pauseMs: moment,
				diesMs: fc.option(moment),
				nextDiesMs: fc.option(moment),
				pressMs: fc.option(moment),
				deletionMs: fc.constantFrom(0, 400, 2500),
			}),
			async ({ generation, open, openMs, pauseMs, diesMs, nextDiesMs, pressMs, deletionMs }) => {
				const rig = await live({
					rooms: [{ generation }, { generation, open, openMs }, { generation }],
					deletionMs,
				});
				const down = { kind: 'connection-lost', reason: 'x' } as const;
				const die = (index: number) => {
					const dying = rig.rooms[index];
					if (dying?.state === 'open') dying.down(down);
				};
				expire(rig);
				rig.clock.after(pauseMs, () => rig.pausesFor(700));
				if (diesMs !== null) rig.clock.after(diesMs, () => die(0));
				if (nextDiesMs !== null) rig.clock.after(nextDiesMs, () => die(1));
				if (pressMs !== null)
					rig.clock.after(pressMs, () => {
						rig.conversation.pause();
						rig.clock.after(700, () => rig.conversation.resume());
					});
				for (let step = 0; step < 400; step += 1) {
					await rig.clock.run(100);
					const listening = rig.rooms.filter(
						(one) => one.state === 'open' && hears(one)?.toString().startsWith('track'),
					);
					expect(listening.length).toBeLessThanOrEqual(1);
				}
				await rig.clock.run(45_000);
				expect([rig.view().phase, rig.open()]).toEqual(['live', one]);
				rig.conversation.stop();
				await rig.clock.run(40_000);
				expect([rig.view().phase, rig.open()]).toEqual(['idle', nothingOpen]);
			},
		),
		{ numRuns: 40 },
	);
});
