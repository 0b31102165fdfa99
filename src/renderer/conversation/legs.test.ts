import { describe, expect, it, test } from 'vitest';
import type { Problem } from '#shared/problem.ts';
import type { Task } from '#shared/protocol/client-message.ts';
import { choices } from '#test/support/conversation-rig.ts';
import { heardText } from '#test/support/heard-text.ts';
import { allClosed, createLegsRig, liveLegsRig, meeting } from '#test/support/legs-rig.ts';

const transcript = (id: string, language: string, text: string) => heardText(id, { language, text });

describe('one Start', () => {
	it('takes both directions at once, each with its own task', async () => {
		const rig = await liveLegsRig();
		expect(rig.open()).toEqual({ sessions: 2, rooms: 2, microphones: 2 });
		const tasks = (['outgoing', 'incoming'] as const).map((leg) => {
			const task = rig.room(leg).sent.find((command) => command.message_type === 'set_task');
			return task?.message_type === 'set_task' && task.data.pipeline;
		});
		expect(tasks).toMatchObject([
			{ transcription: { source_language: 'en' }, translations: [{ target_language: 'es' }] },
			{ transcription: { source_language: 'es' }, translations: [{ target_language: 'en-us' }] },
		]);
	});

	it('is not live before both are', async () => {
		const rig = createLegsRig();
		rig.legs.start(meeting);
		await rig.clock.run(120);
		rig.room('incoming').script.readyMs = 3000;
		await rig.clock.run(2000);
		expect([rig.leg('outgoing').phase, rig.leg('incoming').phase]).toEqual(['live', 'starting']);
		expect(rig.view()).toMatchObject({ phase: 'starting', awaiting: 'interpreter', problem: null });
		// Nor does it count as having been live, should the other fail.
		expect(rig.view().liveSinceMs).toBeNull();
		await rig.clock.run(3000);
		expect(rig.view().phase).toBe('live');
		expect(rig.view().liveSinceMs).not.toBeNull();
	});

	it('leaves nothing half-started when the plan has no second session, and says whose it was', async () => {
		const rig = createLegsRig({ limit: 1 });
		rig.legs.start(meeting);
		await rig.clock.run(4000);
		expect(rig.view()).toMatchObject({
			phase: 'failed',
			problem: { kind: 'session-limit' },
			problemLeg: 'incoming',
		});
		expect(rig.open()).toEqual(allClosed);
	});

	it('ends the other when one cannot begin at all', async () => {
		const rig = createLegsRig();
		rig.legs.start({ ...meeting, speak: 'auto' });
		expect(rig.view()).toMatchObject({ phase: 'failed', problemLeg: 'incoming', problemMode: 'meeting' });
		await rig.clock.run(1000);
		expect(rig.open()).toEqual(allClosed);
	});

	it('can be pressed again after a failure', async () => {
		const rig = createLegsRig({ limit: 1 });
		rig.legs.start(meeting);
		await rig.clock.run(4000);
		rig.script.limit = 2;
		await rig.goLive();
		expect(rig.view()).toMatchObject({ phase: 'live', problem: null });
	});

	it('with one leg alone is that leg', async () => {
		const rig = createLegsRig();
		rig.setMode('solo');
		await rig.goLive(choices);
		expect(rig.open()).toEqual({ sessions: 1, rooms: 1, microphones: 1 });
		expect(rig.view()).toEqual(rig.leg('outgoing'));
		rig.legs.stop();
		await rig.clock.run(5000);
		expect(rig.view().phase).toBe('idle');
		expect(rig.open()).toEqual(allClosed);
	});
});

describe('what was said before', () => {
	const texts = (rig: ReturnType<typeof createLegsRig>) =>
		Array.from(
			{ length: rig.legs.captions.store.getState().rows },
			(_, index) => rig.legs.captions.row(index)?.source?.text,
		);

	/** A conversation in which each side said something, and which is over. */
	async function spoken() {
		const rig = await liveLegsRig();
		rig.room('outgoing').say(transcript('a', 'en', 'Hello'));
		rig.room('incoming').say(transcript('b', 'es', 'Hola'));
		rig.legs.stop();
		await rig.clock.run(60_000);
		expect([rig.view().phase, texts(rig)]).toEqual(['idle', ['Hello', 'Hola']]);
		return rig;
	}

	it('stays while the next one starts, and goes when that is live', async () => {
		const rig = await spoken();
		rig.legs.start(meeting);
		await rig.clock.run(110);
		expect([rig.view().phase, texts(rig)]).not.toContain('live');
		expect(texts(rig)).toEqual(['Hello', 'Hola']);
		await rig.clock.run(5000);
		expect([rig.view().phase, texts(rig)]).toEqual(['live', []]);
		rig.room('outgoing').say(transcript('a', 'en', 'Anew'));
		expect(texts(rig)).toEqual(['Anew']);
	});

	it('goes with the first new text, if that comes before', async () => {
		const rig = await spoken();
		rig.legs.start(meeting);
		await rig.clock.run(120);
		rig.room('incoming').script.readyMs = 3000;
		await rig.clock.run(2000);
		rig.room('outgoing').say(transcript('a', 'en', 'Anew'));
		expect([rig.view().phase, texts(rig)]).toEqual(['starting', ['Anew']]);
	});

	it('outlives a Start that fails, one direction of it live already, and one that is stopped, to the next that succeeds', async () => {
		const rig = await spoken();
		rig.script.limit = 1;
		rig.legs.start(meeting);
		await rig.clock.run(4000);
		expect([rig.view().phase, texts(rig)]).toEqual(['failed', ['Hello', 'Hola']]);
		expect(rig.legs.captions.finals().map(({ text }) => text)).toEqual(['Hello', 'Hola']);
		rig.legs.start(meeting);
		await rig.clock.run(50);
		await Promise.all([rig.legs.stopNow(), rig.clock.run(4000)]);
		expect(texts(rig)).toEqual(['Hello', 'Hola']);
		rig.script.limit = 2;
		rig.setMode('solo');
		await rig.goLive(choices);
		expect(texts(rig)).toEqual([]);
	});

	it('can be cleared after a Start that failed', async () => {
		const rig = await spoken();
		rig.script.limit = 1;
		rig.legs.start(meeting);
		await rig.clock.run(4000);
		rig.legs.captions.clear();
		expect([texts(rig), rig.legs.captions.finals()]).toEqual([[], []]);
	});
});

test('a failure that was read is not said again', async () => {
	const rig = createLegsRig({ limit: 1 });
	rig.legs.start(meeting);
	await rig.clock.run(4000);
	expect(rig.view().phase).toBe('failed');
	rig.legs.stop();
	expect(rig.view()).toMatchObject({ phase: 'idle', problem: null });
});

describe('one Stop', () => {
	it('lets both tails be heard, then closes everything', async () => {
		const rig = await liveLegsRig();
		rig.room('incoming').script.tailMs = 3000;
		rig.legs.stop();
		expect(rig.open().microphones).toBe(0);
		await rig.clock.run(2500);
		expect(rig.leg('outgoing').phase).toBe('idle');
		expect(rig.view()).toMatchObject({ phase: 'ending', tail: true });
		await rig.clock.run(5000);
		expect(rig.view().phase).toBe('idle');
		expect(rig.open()).toEqual(allClosed);
	});

	it('while starting ends both at once', async () => {
		const rig = createLegsRig();
		rig.legs.start(meeting);
		await rig.clock.run(60);
		rig.legs.stop();
		await rig.clock.run(5000);
		expect(rig.view()).toMatchObject({ phase: 'idle', problem: null });
		expect(rig.open()).toEqual(allClosed);
	});

	it('answers the closing program once, after both', async () => {
		const rig = await liveLegsRig();
		rig.announce('app.closing', { reason: 'quit' });
		await rig.clock.run(5000);
		expect(rig.asked.filter(({ name }) => name === 'app.close-ready')).toHaveLength(1);
		expect(rig.asked.at(-1)?.name).toBe('app.close-ready');
		expect(rig.open()).toEqual(allClosed);
	});
});

describe('after both were live', () => {
	async function loseIncoming(rig: ReturnType<typeof createLegsRig>): Promise<void> {
		rig.room('incoming').down({ kind: 'opened-elsewhere' });
		await rig.clock.run(1000);
	}

	it('one that fails for good leaves the other running, and can be tried again on the same clock', async () => {
		const rig = await liveLegsRig();
		rig.room('incoming').say(transcript('a', 'es', 'Hola'));
		await loseIncoming(rig);
		expect(rig.leg('incoming')).toMatchObject({ phase: 'failed', problem: { kind: 'opened-elsewhere' } });
		expect(rig.view()).toMatchObject({ phase: 'live', problem: null });
		await rig.clock.run(60_000);
		rig.legs.incoming.again();
		await rig.clock.run(5000);
		expect(rig.leg('incoming').phase).toBe('live');
		rig.room('incoming').say(transcript('a', 'es', '¿Qué tal?'));
		const finals = rig.legs.captions.finals();
		expect(finals.map(({ text, kind }) => text || kind)).toEqual(['Hola', 'lost', '¿Qué tal?']);
		expect(finals[2]?.startMs).toBeGreaterThan(60_000);
		expect(new Set(finals.map(({ key }) => key)).size).toBe(3);
	});

	it.each(['meeting', 'solo'] as const)(
		'one that has failed is tried again as the same conversation, each time, unless another mode was chosen: %s',
		async (mode) => {
			const journal: string[] = [];
			const rig = createLegsRig({
				journal: {
					begin: () => void journal.push('begin'),
					goOn: () => void journal.push('go on'),
					take: () => {},
					end: () => void journal.push('end'),
					forget: () => {},
					settled: async () => {},
				},
			});
			const chosen = { ...meeting, mode };
			await rig.goLive(chosen);
			const { liveSinceMs } = rig.view();
			const legs = mode === 'solo' ? (['outgoing'] as const) : (['outgoing', 'incoming'] as const);
			const fail = async () => {
				for (const leg of legs) rig.room(leg).down({ kind: 'opened-elsewhere' });
				await rig.clock.run(20_000);
				expect([rig.view().phase, rig.open()]).toEqual(['failed', allClosed]);
			};
			for (const text of ['one', 'two', 'three']) {
				rig.room('outgoing').say(transcript(text, 'en', text));
				await fail();
				// Other languages are no other conversation.
				rig.legs.tryAgain({ ...chosen, speak: 'fr' });
				expect(rig.view()).toMatchObject({ phase: 'reconnecting', problem: null, liveSinceMs });
				await rig.clock.run(5000);
				expect([rig.view().phase, rig.open().rooms]).toEqual(['live', legs.length]);
			}
			const said = rig.legs.captions.finals().map(({ text, kind }) => text || kind);
			expect(said.filter((one) => one !== 'lost')).toEqual(['one', 'two', 'three']);
			expect(said.indexOf('lost')).toBeGreaterThan(0);
			const again = ['end', 'go on'];
			expect(journal).toEqual(['begin', ...again, ...again, ...again]);
			const sent = rig.room('outgoing').sent[0];
			expect(sent?.message_type === 'set_task' && sent.data.pipeline.transcription.source_language).toBe(
				'fr',
			);
			await fail();
			rig.legs.tryAgain({ ...meeting, mode: mode === 'solo' ? 'meeting' : 'solo' });
			await rig.clock.run(5000);
			expect(rig.view().liveSinceMs).not.toBe(liveSinceMs);
			expect(rig.legs.captions.finals()).toEqual([]);
		},
	);

	it('one that was stopped to go on elsewhere keeps its captions', async () => {
		const rig = createLegsRig();
		await rig.goLive(meeting);
		rig.room('outgoing').say(transcript('a', 'en', 'one'));
		await rig.legs.stopNow();
		rig.legs.tryAgain(meeting, true);
		await rig.clock.run(5000);
		expect(rig.view().phase).toBe('live');
		expect(rig.legs.captions.finals().map(({ text }) => text)).toContain('one');
	});

	it('one that never was live, or was stopped, begins anew when it is tried again', async () => {
		const rig = createLegsRig({ limit: 1 });
		rig.legs.start(meeting);
		await rig.clock.run(4000);
		expect(rig.view().phase).toBe('failed');
		rig.script.limit = 2;
		rig.legs.tryAgain(meeting);
		expect(rig.view()).toMatchObject({ phase: 'preparing', liveSinceMs: null });
		await rig.clock.run(5000);
		rig.room('outgoing').say(transcript('a', 'en', 'one'));
		await rig.legs.stopNow();
		rig.legs.tryAgain(meeting);
		await rig.clock.run(5000);
		expect([rig.view().phase, rig.legs.captions.finals()]).toEqual(['live', []]);
	});

	it('fails when both have failed', async () => {
		const rig = await liveLegsRig();
		await loseIncoming(rig);
		rig.room('outgoing').down({ kind: 'opened-elsewhere' });
		await rig.clock.run(1000);
		expect(rig.view()).toMatchObject({ phase: 'failed', problem: { kind: 'opened-elsewhere' } });
		expect(rig.open()).toEqual(allClosed);
	});

	it('fails for what happened last when both have failed one after the other', async () => {
		const rig = await liveLegsRig();
		const fails = async (leg: 'outgoing' | 'incoming', problem: Problem) => {
			rig.room(leg).down(problem);
			await rig.clock.run(1000);
		};
		await fails('outgoing', { kind: 'opened-elsewhere' });
		await fails('incoming', { kind: 'no-credit', detail: '' });
		expect(rig.view()).toMatchObject({
			phase: 'failed',
			problem: { kind: 'no-credit' },
			problemLeg: 'incoming',
		});
	});

	it('a mute of the other side does not last into face to face, which has no switch for it', async () => {
		const rig = await liveLegsRig();
		rig.legs.incoming.conversation.setMuted(true);
		await rig.legs.stopNow();
		rig.legs.start({ ...meeting, mode: 'face' });
		expect(rig.leg('incoming').muted).toBe(false);
	});

	it('a leg is not tried again after Stop', async () => {
		const rig = await liveLegsRig();
		await loseIncoming(rig);
		rig.legs.stop();
		rig.legs.incoming.again();
		await rig.clock.run(5000);
		expect(rig.open()).toEqual(allClosed);
	});

	it('shows the worse of both states', async () => {
		const rig = await liveLegsRig();
		rig.room('outgoing').restoring();
		expect(rig.view()).toMatchObject({ phase: 'reconnecting', recovering: { cause: 'signal' } });
		expect(rig.leg('incoming').phase).toBe('live');
	});

	it('each may travel in its own way', async () => {
		const rig = createLegsRig();
		rig.script.travel.incoming = { route: 'webrtc', mayFallBack: true };
		rig.script.broken.add('incoming');
		rig.legs.start(meeting);
		await rig.clock.run(20_000);
		expect([rig.leg('outgoing').travel?.route, rig.leg('incoming').travel?.route]).toEqual([
			'webrtc',
			'websocket',
		]);
		expect(rig.view().phase).toBe('live');
	});
});

describe('what concerns one or both', () => {
	it('pauses and resumes both', async () => {
		const rig = await liveLegsRig();
		rig.legs.pause();
		await rig.clock.run(5000);
		expect([rig.room('outgoing').task, rig.room('incoming').task]).toEqual(['paused', 'paused']);
		expect(rig.view()).toMatchObject({ phase: 'live', paused: true });
		rig.legs.resume();
		await rig.clock.run(5000);
		expect([rig.room('outgoing').task, rig.room('incoming').task]).toEqual(['running', 'running']);
	});

	it('lets both voices catch up', async () => {
		const rig = await liveLegsRig();
		rig.legs.catchUp();
		await rig.clock.run(1000);
		const last = (leg: 'outgoing' | 'incoming') => rig.room(leg).sent.at(-1)?.message_type;
		expect([last('outgoing'), last('incoming')]).toEqual(['interrupt_task', 'interrupt_task']);
	});

	it('mutes what I listen to where I do not speak, also before Start', async () => {
		const rig = createLegsRig();
		rig.setMode('listen');
		rig.legs.setMuted(true);
		expect(rig.muted).toEqual({ outgoing: false, incoming: true });
		rig.legs.setMuted(false);
		await rig.goLive({ ...meeting, mode: 'listen' });
		rig.legs.setMuted(true);
		expect([rig.muted, rig.view().muted]).toEqual([{ outgoing: false, incoming: true }, true]);
	});

	it('mutes my microphone alone, and each voice alone', async () => {
		const rig = await liveLegsRig();
		rig.voiceMuted.length = 0;
		rig.legs.setMuted(true);
		rig.legs.incoming.muteVoice(true);
		expect(rig.muted).toEqual({ outgoing: true, incoming: false });
		expect(rig.view().muted).toBe(true);
		expect(rig.voiceMuted).toEqual([['incoming', true]]);
		expect(rig.legs.incoming.voice.getState().muted).toBe(true);
		expect(rig.legs.outgoing.voice.getState().muted).toBe(false);
	});

	it('a voice that was muted is heard again at the next Start', async () => {
		const rig = await liveLegsRig();
		rig.room('outgoing').script.tailMs = 3000;
		rig.legs.outgoing.muteVoice(true);
		rig.legs.stop();
		rig.legs.start(choices);
		expect(rig.legs.outgoing.voice.getState().muted).toBe(false);
		expect(rig.voiceMuted.findLast(([leg]) => leg === 'outgoing')).toEqual(['outgoing', false]);
	});

	it('says whose notice it is, and goes back to the other one when it is dismissed', async () => {
		const rig = await liveLegsRig();
		rig.microphoneSays('outgoing', { type: 'silent', device: 'USB' });
		rig.mixerSays('incoming', { type: 'output-switched', from: 'Headset', to: '' });
		expect(rig.view()).toMatchObject({ notice: { kind: 'output-switched' }, noticeLeg: 'incoming' });
		rig.legs.dismissNotice();
		expect(rig.view()).toMatchObject({ notice: { kind: 'silent-microphone' }, noticeLeg: 'outgoing' });
		rig.legs.dismissNotice();
		expect(rig.view()).toMatchObject({ notice: null });
	});

	it('tells main one phase', async () => {
		const rig = await liveLegsRig();
		await rig.legs.stopNow();
		expect(rig.told()).toEqual(['starting', 'live', 'idle'].map((phase) => ({ phase, muted: false })));
	});
});

describe('a change of languages', () => {
	const french = { ...meeting, hear: ['fr'], voiceOf: 'fr' };

	it('is for both', async () => {
		const rig = await liveLegsRig();
		rig.legs.change(french);
		expect(rig.view().change).toBe('waiting');
		await rig.clock.run(10_000);
		expect(rig.view().change).toBe('applied');
	});

	it('that one leg is refused is taken back in the other', async () => {
		const rig = await liveLegsRig();
		rig.room('incoming').script.refuse = { code: 'VALIDATION_ERROR', text: 'no', field: 'source_language' };
		rig.legs.change(french);
		await rig.clock.run(10_000);
		expect(rig.view().change).toBe('refused');
		const tasks = rig.room('outgoing').sent.filter(({ message_type }) => message_type === 'set_task');
		expect(
			tasks.map((task) => (task.message_type === 'set_task' ? targetOf(task.data.pipeline) : '')),
		).toEqual(['es', 'fr', 'es']);
	});

	it('that one leg is refused is taken back also in one that was not live yet', async () => {
		const rig = createLegsRig();
		rig.script.travel.incoming = { route: 'webrtc', mayFallBack: true };
		rig.script.broken.add('incoming');
		rig.legs.start(meeting);
		await rig.clock.run(5000);
		rig.room('outgoing').script.refuse = { code: 'VALIDATION_ERROR', text: 'no', field: 'target_language' };
		rig.legs.change(french);
		await rig.clock.run(40_000);
		expect(rig.view().change).toBe('refused');
		const sources = rig
			.room('incoming')
			.sent.flatMap((sent) =>
				sent.message_type === 'set_task' ? [sent.data.pipeline.transcription.source_language] : [],
			);
		expect(sources).toEqual(['es']);
	});

	it.each([
		['both directions', meeting],
		['one', choices],
	])(
		'on top of one that is still being made goes back to before both when it is refused (%s)',
		async (_legs, before) => {
			const rig = createLegsRig();
			rig.setMode(before.mode);
			await rig.goLive(before);
			const isGerman = ({ pipeline }: Task) => targetOf(pipeline) === 'de';
			const refuse = { code: 'VALIDATION_ERROR', text: 'no', field: 'target_language' };
			Object.assign(rig.room('outgoing').script, { refuse, refuses: isGerman });
			rig.legs.change({ ...before, hear: ['fr'], voiceOf: 'fr' });
			await rig.clock.run(50);
			rig.legs.change({ ...before, hear: ['de'], voiceOf: 'de' });
			await rig.clock.run(10_000);
			expect(rig.view().change).toBe('refused');
			const tasks = rig
				.room('outgoing')
				.sent.flatMap((sent) => (sent.message_type === 'set_task' ? [targetOf(sent.data.pipeline)] : []));
			expect(tasks).toEqual(['es', 'fr', 'de', 'es']);
		},
	);
});

describe('the language they speak, where it is detected', () => {
	const detecting = { ...meeting, detectTheirs: true, detectable: ['es', 'fr', 'pt'] } as const;
	const refusal = { code: 'VALIDATION_ERROR', text: 'no', field: 'source_language' };

	/** The candidate languages, or the fixed one, of each task that was set, in order. */
	const sources = (rig: ReturnType<typeof createLegsRig>, leg: 'outgoing' | 'incoming') =>
		rig.room(leg).sent.flatMap((command) => {
			if (command.message_type !== 'set_task') return [];
			const { source_language: source, detectable_languages: among } = command.data.pipeline.transcription;
			return among?.join() ?? source;
		});
	const corrected = (rig: ReturnType<typeof createLegsRig>) => rig.legs.theirs.store.getState().corrected;

	it.each(['webrtc', 'websocket'] as const)(
		'is put right in their direction alone, and detected again, by %s, in the order and at the pace the service takes',
		async (route) => {
			const rig = createLegsRig();
			rig.script.travel.incoming = { route, mayFallBack: false };
			await rig.goLive({ ...detecting, detectable: ['es', 'fr', 'pt'] });
			rig.legs.theirs.correct('fr');
			expect([corrected(rig), rig.view().change]).toEqual(['fr', 'waiting']);
			// Three times within the two seconds in which one task may be set: the last one counts.
			rig.legs.theirs.correct('pt');
			rig.legs.theirs.correct('fr');
			await rig.clock.run(5000);
			expect(sources(rig, 'incoming')).toEqual(['es,fr,pt', 'fr']);
			rig.legs.theirs.correct(null);
			await rig.clock.run(5000);
			expect(sources(rig, 'incoming')).toEqual(['es,fr,pt', 'fr', 'es,fr,pt']);
			expect(sources(rig, 'outgoing')).toEqual(['en']);
			expect([corrected(rig), rig.view().change]).toEqual([null, 'applied']);
		},
	);

	it('is detected again at the next Start', async () => {
		const rig = createLegsRig();
		await rig.goLive({ ...detecting, detectable: ['es', 'fr', 'pt'] });
		rig.legs.theirs.correct('fr');
		await rig.clock.run(5000);
		await Promise.all([rig.legs.stopNow(), rig.clock.run(4000)]);
		rig.legs.theirs.correct('pt');
		await rig.goLive({ ...detecting, detectable: ['es', 'fr', 'pt'] });
		expect([corrected(rig), sources(rig, 'incoming')]).toEqual([null, ['es,fr,pt']]);
	});

	it('stays put right over another change and a reconnection, until it is no candidate any more', async () => {
		const rig = createLegsRig();
		await rig.goLive({ ...detecting, detectable: ['es', 'fr', 'pt'] });
		rig.legs.theirs.correct('fr');
		await rig.clock.run(5000);
		rig.legs.change({ ...detecting, detectable: ['es', 'fr'], preset: 'fast' });
		await rig.clock.run(5000);
		rig.room('incoming').down({ kind: 'connection-lost', reason: 'x' });
		await rig.clock.run(20_000);
		expect([corrected(rig), sources(rig, 'incoming')]).toEqual(['fr', ['fr']]);
		rig.legs.change({ ...detecting, detectable: ['es', 'pt'] });
		await rig.clock.run(5000);
		expect([corrected(rig), sources(rig, 'incoming').at(-1)]).toEqual([null, 'es,pt']);
	});

	it('that the service refuses is as before, and nothing is set where nothing is detected', async () => {
		const rig = createLegsRig();
		await rig.goLive({ ...detecting, detectable: ['es', 'fr', 'pt'] });
		rig.room('incoming').script.refuse = refusal;
		rig.legs.theirs.correct('fr');
		await rig.clock.run(10_000);
		expect([corrected(rig), rig.view().change]).toEqual([null, 'refused']);
		expect(rig.view().notice).toMatchObject({ kind: 'problem' });
		rig.room('incoming').script.refuse = null;
		for (const language of ['fr', null, 'ja']) {
			rig.legs.theirs.correct(language);
			await rig.clock.run(5000);
		}
		expect(sources(rig, 'incoming')).toEqual(['es,fr,pt', 'fr', 'fr', 'es,fr,pt']);

		const fixed = createLegsRig();
		await fixed.goLive();
		fixed.legs.theirs.correct('fr');
		await fixed.clock.run(5000);
		expect([corrected(fixed), sources(fixed, 'incoming')]).toEqual([null, ['es']]);
	});
});

function targetOf({ translations }: { translations: readonly { target_language: string }[] }): string {
	return translations[0]?.target_language ?? '';
}

describe('of both directions as one', () => {
	it('the conversation is not paused while one of them goes on', async () => {
		const rig = await liveLegsRig();
		rig.microphoneSays('outgoing', { type: 'lost', problem: { kind: 'microphone-denied' } });
		await rig.clock.run(1000);
		expect([rig.leg('outgoing').paused, rig.leg('incoming').paused]).toEqual([true, false]);
		expect(rig.view()).toMatchObject({ phase: 'live', paused: false });
	});

	it('a voice speaks when that of either does', async () => {
		const rig = await liveLegsRig();
		for (const leg of ['outgoing', 'incoming'] as const) {
			rig.mixerSays(leg, { type: 'voice-active', active: true });
			expect(rig.view().voiceActive).toBe(true);
			rig.mixerSays(leg, { type: 'voice-active', active: false });
			expect(rig.view().voiceActive).toBe(false);
		}
	});

	it('its time goes on when one of them is begun again', async () => {
		const rig = await liveLegsRig();
		const { liveSinceMs } = rig.view();
		expect(liveSinceMs).not.toBeNull();
		const problem = { kind: 'opened-elsewhere' } as const;
		rig.room('incoming').down(problem);
		await rig.clock.run(60_000);
		rig.legs.incoming.again();
		await rig.clock.run(5000);
		expect([rig.leg('incoming').phase, rig.view().liveSinceMs]).toEqual(['live', liveSinceMs]);
	});
});
