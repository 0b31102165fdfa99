import { expect, test } from 'vitest';
import type { Segment } from '#shared/captions/segment.ts';
import type { TranscriptMessage } from '#shared/protocol/server-message.ts';
import { createCaptions } from './captions.ts';

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

test('the journal hears of what is final, the moment it is, and of nothing that may still change', () => {
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
