import { describe, expect, test } from 'vitest';
import { createStore } from 'zustand/vanilla';
import { createCorrect } from '#shared/captions/apply-corrections.ts';
import type { Correction } from '#shared/captions/corrections.ts';
import type { Segment } from '#shared/captions/segment.ts';
import type { TranscriptMessage } from '#shared/protocol/server-message.ts';
import { captionRow, createFakeConversation } from '#test/support/fake-conversation.ts';
import { heardText } from '#test/support/heard-text.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { type CaptionsView, createCaptions, createTranscript } from './caption-view.ts';

type TranscriptParts = Parameters<typeof createTranscript>[0];

function transcriptOf(legs: TranscriptParts['legs'], parts: Partial<TranscriptParts> = {}) {
	const clock = createManualClock();
	return createTranscript({ legs, clock, conversation: createFakeConversation(clock), ...parts });
}

describe('one direction', () => {
	function createRig() {
		const told: unknown[] = [];
		const taken = new Map<string, Segment>();
		const captions = createCaptions({
			begin: (mode) => void told.push(`begin ${mode}`),
			goOn: (mode) => void told.push(`go on ${mode}`),
			take(segment, { typed }) {
				taken.set(segment.key, segment);
				told.push([
					segment.kind,
					segment.text,
					...(segment.final ? [] : ['open']),
					...(typed ? ['typed'] : []),
				]);
			},
			end: () => void told.push('end'),
			forget: () => void told.push('forget'),
			settled: async () => {},
		});
		return { captions, told, taken };
	}

	function message(id: string, text: string, fields: Partial<TranscriptMessage> = {}): TranscriptMessage {
		const place = { transcriptionId: id, partId: '0', startS: null, endS: null };
		return { type: 'transcript', kind: 'source', final: true, language: 'en', text, ...place, ...fields };
	}

	test('the history is told what is final, the moment it is, and of nothing that may still change', () => {
		const { captions, told } = createRig();
		captions.begin('solo');
		captions.receive(message('a', 'half', { final: false }), 100);
		captions.receive(message('a', 'whole'), 200);
		captions.receive(message('a', 'whole'), 250);
		captions.receive(message('a', 'entero', { kind: 'translation', language: 'es' }), 300);
		expect(told).toEqual(['begin solo', ['source', 'whole'], ['translation', 'entero']]);
	});

	test('what was typed is marked when the service has taken it, and what was refused is not kept', () => {
		const { captions, told } = createRig();
		captions.begin('solo');
		const taken = captions.type({ text: 'Hello', language: 'en', translate: true }, 0);
		const refused = captions.type({ text: 'Bye', language: 'en', translate: true }, 0);
		captions.settleTyped(taken, { is: 'taken' }, null);
		captions.settleTyped(refused, { is: 'refused', problem: { kind: 'cancelled' } }, null);
		expect(told).toEqual(['begin solo', ['source', 'Hello', 'typed']]);
	});

	test('lost speech is kept with its time, and grows', () => {
		const { captions, taken } = createRig();
		captions.begin('solo');
		captions.lose(1000, 5000);
		captions.lose(500, 5500);
		expect([...taken.values()]).toMatchObject([{ kind: 'lost', startMs: 4000, endMs: 5500 }]);
	});

	test('at the end: everything once more with the times it has by now, what stayed open as such, and the end', () => {
		const { captions, told, taken } = createRig();
		captions.begin('solo');
		captions.receive(message('a', 'first', { startS: 1, endS: 2 }), 9000);
		// A later message shows that the stream began earlier than the first one let us think.
		captions.receive(message('b', 'second', { startS: 3, endS: 4 }), 7500);
		captions.receive(message('c', 'cut of', { final: false }), 8000);
		const before = taken.get('source|a|0|')?.startMs ?? 0;
		told.length = 0;
		captions.finish();
		expect(told).toEqual([['source', 'first'], ['source', 'second'], ['source', 'cut of', 'open'], 'end']);
		expect(taken.get('source|a|0|')?.startMs).toBeLessThan(before);
	});

	test('a new conversation empties the captions and keeps what was; clearing them does not', () => {
		const { captions, told } = createRig();
		captions.begin('solo');
		captions.receive(message('a', 'one'), 0);
		captions.begin('captions');
		captions.clear();
		expect(told).toEqual(['begin solo', ['source', 'one'], 'begin captions', 'forget']);
		expect(captions.finals()).toEqual([]);
	});

	test('what a new stream cuts off is kept as it is, and shown anew', () => {
		const { captions, told } = createRig();
		captions.begin('solo');
		captions.receive(message('a', 'Could you', { final: false }), 100);
		const { version } = captions.store.getState();
		captions.newStream(2000);
		expect(told).toEqual(['begin solo', ['source', 'Could you', 'open']]);
		expect(captions.row(0)?.source?.cutOff).toBe(true);
		expect(captions.store.getState().version).toBeGreaterThan(version);
	});
});

describe('both directions', () => {
	const message = (id: string, text: string, final = true) => heardText(id, { text, final });

	function setUp() {
		const outgoing = createCaptions(undefined, 'outgoing');
		const incoming = createCaptions(undefined, 'incoming');
		const merged = transcriptOf({ outgoing, incoming });
		const texts = () => {
			const { rows } = merged.store.getState();
			return Array.from({ length: rows }, (_, index) => merged.row(index)?.source?.text);
		};
		merged.show(['outgoing', 'incoming']);
		outgoing.begin('meeting');
		incoming.begin('meeting');
		return { outgoing, incoming, merged, texts };
	}

	test('rows stand in the order in which they appeared and keep their place when they change', () => {
		const { outgoing, incoming, merged, texts } = setUp();
		outgoing.receive(message('a', 'Hel', false), 0);
		incoming.receive(message('a', 'Ho', false), 10);
		outgoing.receive(message('a', 'Hello'), 20);
		incoming.receive(message('b', 'Adiós'), 30);
		incoming.receive(message('a', 'Hola'), 40);
		expect(texts()).toEqual(['Hello', 'Hola', 'Adiós']);
		expect([0, 1, 2].map((index) => merged.row(index)?.leg)).toEqual([undefined, 'incoming', 'incoming']);
		expect(merged.finals().map(({ text }) => text)).toEqual(['Hello', 'Hola', 'Adiós']);
		expect(merged.store.getState().sided).toBe(true);
	});

	test('the same row is the same object until it changes', () => {
		const { outgoing, incoming, merged } = setUp();
		outgoing.receive(message('a', 'Hello'), 0);
		const first = merged.row(0);
		incoming.receive(message('a', 'Hola'), 10);
		expect(merged.row(0)).toBe(first);
	});

	test('every change of either is seen once', () => {
		const { outgoing, incoming, merged } = setUp();
		const before = merged.store.getState().version;
		outgoing.receive(message('a', 'Hello'), 0);
		incoming.receive(message('a', 'Hola'), 10);
		expect(merged.store.getState().version).toBe(before + 2);
	});

	test('clearing empties both', () => {
		const { outgoing, incoming, merged, texts } = setUp();
		outgoing.receive(message('a', 'Hello'), 0);
		incoming.receive(message('a', 'Hola'), 10);
		merged.clear();
		expect([texts(), merged.finals()]).toEqual([[], []]);
		incoming.receive(message('b', 'Otra vez'), 20);
		expect(texts()).toEqual(['Otra vez']);
	});

	test('what the other side said in the last conversation is not shown in one that has no other side', () => {
		const { outgoing, incoming, merged, texts } = setUp();
		incoming.receive(message('a', 'Hola'), 0);
		merged.show(['outgoing']);
		outgoing.begin('solo');
		outgoing.receive(message('a', 'Hello'), 10);
		expect(texts()).toEqual(['Hello']);
		expect(merged.finals().map(({ text }) => text)).toEqual(['Hello']);
		expect(merged.store.getState().sided).toBe(false);
	});

	test('a message costs the same at the first row and at the twenty thousandth', () => {
		const { outgoing, incoming, merged } = setUp();
		for (let index = 0; index < 10_000; index++) {
			outgoing.receive(message(`m${index}`, 'x'), index);
			incoming.receive(message(`m${index}`, 'y'), index);
		}
		expect(merged.store.getState().rows).toBe(20_000);
		// One look per message, at its row: the order grows and is never rebuilt.
		const first = merged.row(0);
		outgoing.receive(message('last', 'x'), 10_000);
		expect(merged.row(20_000)?.source?.text).toBe('x');
		expect(merged.row(0)).toBe(first);
	});

	test('what is copied of both stands in the order in which it was said, not one side after the other', () => {
		const { outgoing, incoming, merged } = setUp();
		outgoing.receive(message('a', 'Hello'), 1000);
		incoming.receive(message('a', 'Hola'), 2000);
		outgoing.receive(message('b', 'How are you?'), 3000);
		incoming.receive(message('b', 'Bien'), 4000);
		const texts = () => merged.finals().map(({ text }) => text);
		expect(texts()).toEqual(['Hello', 'Hola', 'How are you?', 'Bien']);
		merged.hold();
		expect(texts()).toEqual(['Hello', 'Hola', 'How are you?', 'Bien']);
	});
});

describe('corrections', () => {
	const anna: Correction = { language: 'en', wrong: 'Anna', right: 'Ana' };

	function rig(loadCorrect = async () => createCorrect) {
		const captions = createCaptions();
		let list: readonly Correction[] = [];
		let changed = () => {};
		const corrections = {
			now: () => list,
			listen(heard: () => void) {
				changed = heard;
			},
		};
		const view = transcriptOf(
			{ outgoing: captions, incoming: createCaptions(undefined, 'incoming') },
			{ corrections, loadCorrect },
		);
		view.show(['outgoing']);
		captions.begin('solo');
		return {
			captions,
			view,
			say(id: string, text: string, final = true, kind: 'source' | 'translation' = 'source') {
				const language = kind === 'source' ? 'en' : 'es';
				const place = { transcriptionId: id, partId: '0', startS: null, endS: null };
				const message: TranscriptMessage = { type: 'transcript', kind, final, language, text, ...place };
				captions.receive(message, 1000);
			},
			async correct(next: readonly Correction[]) {
				list = next;
				changed();
				await new Promise((done) => setImmediate(done));
			},
			texts: () =>
				Array.from({ length: view.store.getState().rows }, (_, at) => view.row(at)?.source?.text ?? null),
		};
	}

	test('what was said before and what comes is put right, in its language alone; taken back, all is as it was', async () => {
		const { view, say, correct, texts } = rig();
		say('a', 'Anna is here.');
		say('a', 'Anna está aquí.', true, 'translation');
		await correct([anna]);
		say('b', 'Is Anna');
		expect(texts()).toEqual(['Ana is here.', 'Is Ana']);
		expect(view.row(0)?.translations[0]?.text).toBe('Anna está aquí.');
		expect(view.finals().map(({ text }) => text)).toEqual(['Ana is here.', 'Is Ana', 'Anna está aquí.']);
		await correct([]);
		expect(texts()).toEqual(['Anna is here.', 'Is Anna']);
		expect(view.finals().map(({ text }) => text)).toContain('Anna is here.');
	});

	test('a change of the corrections is news, and so is each caption; a row stays the same object until it changes', async () => {
		const { view, say, correct } = rig();
		say('a', 'Anna is', false);
		say('b', 'Nobody.');
		const versions: number[] = [];
		view.store.subscribe(({ version }) => versions.push(version));
		await correct([anna]);
		expect(versions).toHaveLength(1);
		const [first, second] = [view.row(0), view.row(1)];
		expect(first?.source?.text).toBe('Ana is');
		say('c', 'Anna.');
		expect(view.row(0)).toBe(first);
		expect(view.row(1)).toBe(second);
		expect(versions).toHaveLength(2);
		expect(versions[1]).toBeGreaterThan(versions[0] ?? 0);
		say('a', 'Anna is here', false);
		say('a', 'Anna is not here.');
		expect(view.row(0)?.source?.text).toBe('Ana is not here.');
		// Main sends the settings again, as another object.
		await correct([{ ...anna }]);
		expect(view.row(1)).toBe(second);
	});

	test('another correction holds for what was put right before, too', async () => {
		const { say, correct, texts } = rig();
		say('a', 'Anna is here.');
		await correct([anna]);
		expect(texts()).toEqual(['Ana is here.']);
		await correct([{ ...anna, right: 'Hannah' }]);
		expect(texts()).toEqual(['Hannah is here.']);
	});

	test('without a correction nothing is loaded, and the rows are those of the captions', async () => {
		let loads = 0;
		const { captions, view, say, correct } = rig(async () => {
			loads++;
			return createCorrect;
		});
		say('a', 'Anna');
		expect(view.row(0)).toBe(captions.row(0));
		expect(loads).toBe(0);
		await correct([anna]);
		expect(loads).toBe(1);
	});

	test('of corrections that follow each other while the code is fetched the last one holds', async () => {
		const waiting: (() => void)[] = [];
		const { say, correct, texts } = rig(() => new Promise((done) => waiting.push(() => done(createCorrect))));
		say('a', 'Anna');
		await correct([anna]);
		await correct([{ ...anna, right: 'Hannah' }]);
		for (const done of waiting.reverse()) done();
		await new Promise((done) => setImmediate(done));
		expect(texts()).toEqual(['Hannah']);
	});
});

describe('put away', () => {
	/** One direction, fed by the test, and the transcript as the window shows it. */
	function rig() {
		let said: readonly string[] = [];
		const cleared: string[] = [];
		const store = createStore(() => ({ version: 0, rows: 0 }));
		const say = (...next: readonly string[]) => {
			said = next;
			store.setState(({ version }) => ({ version: version + 1, rows: said.length }));
		};
		const leg: CaptionsView = {
			store,
			row: (index) => (said[index] === undefined ? undefined : captionRow(index, ['en', said[index]], [])),
			finals: () => said.flatMap((text, index) => captionRow(index, ['en', text], []).source ?? []),
			clear() {
				cleared.push('outgoing');
				say();
			},
		};
		const silent = { ...leg, store: createStore(() => ({ version: 0, rows: 0 })), finals: () => [] };
		const conversation = createFakeConversation();
		const clock = createManualClock();
		const transcript = transcriptOf({ outgoing: leg, incoming: silent }, { conversation, clock });
		transcript.show(['outgoing']);
		const shown = () =>
			Array.from(
				{ length: transcript.store.getState().rows },
				(_, index) => transcript.row(index)?.source?.text,
			);
		const away = () => transcript.store.getState().away === true;
		return { say, cleared, transcript, shown, away, conversation, clock };
	}

	test('what is put away is not shown, not saved and not forgotten, and comes back as it was', () => {
		const { say, cleared, transcript, shown, away } = rig();
		say('Good morning.', 'Any questions?');
		transcript.putAway();
		expect([shown(), away(), transcript.row(0), transcript.finals()]).toEqual([[], true, undefined, []]);
		expect(cleared).toEqual([]);
		transcript.bringBack();
		expect([shown(), away()]).toEqual([['Good morning.', 'Any questions?'], false]);
		expect(transcript.finals()).toHaveLength(2);
	});

	test('where nothing was said there is nothing to put away', () => {
		const { transcript, away } = rig();
		transcript.putAway();
		expect(away()).toBe(false);
	});

	test('a Start that fails leaves the way back, one that succeeds takes the place', () => {
		const { say, transcript, shown, away } = rig();
		say('Good morning.');
		transcript.putAway();
		// Start: earlier captions are held, and the direction begins anew.
		transcript.hold();
		transcript.show(['outgoing']);
		say();
		expect([shown(), away()]).toEqual([[], true]);
		// The start failed.
		transcript.bringBack();
		expect(shown()).toEqual(['Good morning.']);

		transcript.putAway();
		transcript.hold();
		transcript.release();
		expect([shown(), away()]).toEqual([[], false]);
		say('Hello.');
		expect(shown()).toEqual(['Hello.']);
		transcript.bringBack();
		expect(shown()).toEqual(['Hello.']);
	});

	test('the first word of the next conversation is shown, also where it comes before all is live', () => {
		const { say, transcript, shown, away } = rig();
		say('Good morning.', 'Any questions?');
		transcript.putAway();
		transcript.hold();
		say();
		say('Hello.');
		expect([shown(), away()]).toEqual([['Hello.'], false]);
	});

	test('what is cleared meanwhile does not come back', () => {
		const { say, transcript, away } = rig();
		say('Good morning.');
		transcript.putAway();
		transcript.clear();
		expect(away()).toBe(false);
	});

	test('a correction of what is put away does not bring it back', () => {
		const { say, transcript, shown } = rig();
		say('Good morning, Anna.');
		transcript.putAway();
		say('Good morning, Ana.');
		expect(shown()).toEqual([]);
		transcript.bringBack();
		expect(shown()).toEqual(['Good morning, Ana.']);
	});

	test('when the conversation began is known after it has ended, until another is live', () => {
		const { conversation, clock, transcript } = rig();
		expect(transcript.beganAt()).toBeNull();
		const firstAt = clock.wall() + 500;
		clock.advance(2000);
		conversation.show({ phase: 'live', liveSinceMs: 500 });
		conversation.show({ phase: 'idle' });
		expect(transcript.beganAt()).toBe(firstAt);
		clock.advance(60_000);
		conversation.show({ phase: 'connecting' });
		expect(transcript.beganAt()).toBe(firstAt);
		conversation.show({ phase: 'live', liveSinceMs: clock.now() });
		expect(transcript.beganAt()).toBe(clock.wall());
	});
});
