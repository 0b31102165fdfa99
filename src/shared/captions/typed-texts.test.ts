import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TranscriptMessage } from '#shared/protocol/server-message.ts';
import { heardText } from '#test/support/heard-text.ts';
import { createAssembler } from './assembler.ts';

const heard = (fields: Partial<TranscriptMessage>) =>
	heardText('x', { kind: 'translation', language: 'es', text: 'Hola', ...fields });

const hello = { text: 'Hello', language: 'en', translate: true };
const hola = { text: 'Hola', language: 'es', translate: false };

function rowsOf(captions: ReturnType<typeof createAssembler>) {
	return Array.from({ length: captions.rowCount }, (_, at) => {
		const row = captions.rowAt(at);
		return [row?.typed?.is, row?.source?.text, row?.translations.map(({ text }) => text).join()];
	});
}

describe('a typed text among captions', () => {
	it('is not final, and in no export, before the service has taken it', () => {
		const captions = createAssembler();
		const id = captions.type(hello, 1000);
		expect([rowsOf(captions), captions.finals()]).toEqual([[['sending', 'Hello', '']], []]);
		captions.settleTyped(id, { is: 'taken' }, 'x');
		expect(captions.finals()).toMatchObject([{ text: 'Hello', kind: 'source', startMs: 1000, final: true }]);
	});

	it('stays out of every export when it was refused', () => {
		const captions = createAssembler();
		const id = captions.type(hola, 0);
		captions.settleTyped(id, { is: 'refused', problem: { kind: 'cancelled' } }, null);
		captions.closeOpen();
		expect([rowsOf(captions), captions.finals()]).toEqual([[['refused', undefined, 'Hola']], []]);
	});

	it('has the time of its typing, whatever time the service names', () => {
		const captions = createAssembler();
		captions.receive(
			heard({ kind: 'source', transcriptionId: 'said', language: 'en', startS: 1, endS: 2 }),
			2000,
		);
		const id = captions.type(hello, 60_000);
		captions.settleTyped(id, { is: 'taken' }, 'x');
		captions.receive(heard({ startS: 0, endS: 0 }), 61_000);
		captions.receive(
			heard({ kind: 'source', transcriptionId: 'later', language: 'en', startS: 69, endS: 70 }),
			70_000,
		);
		expect(captions.finals().map(({ startMs }) => startMs)).toEqual([1000, 60_000, 60_000, 69_000]);
	});

	it('of another stream is another text, though ids come again', () => {
		const captions = createAssembler();
		captions.settleTyped(captions.type(hola, 0), { is: 'taken' }, 'x');
		captions.newEpoch(1000);
		captions.receive(heard({ text: 'Otro' }), 2000);
		expect(rowsOf(captions)).toEqual([
			['taken', undefined, 'Hola'],
			[undefined, undefined, 'Otro'],
		]);
	});

	it('takes nothing from what is said, where the service names no ids', () => {
		const captions = createAssembler();
		captions.settleTyped(captions.type(hello, 0), { is: 'taken' }, null);
		captions.receive(heard({ kind: 'source', transcriptionId: 'said', language: 'en', text: 'Someone' }), 10);
		captions.receive(heard({ transcriptionId: 'said', text: 'Alguien' }), 20);
		captions.receive(heard({ transcriptionId: 'own' }), 30);
		expect(rowsOf(captions)).toEqual([
			['taken', 'Hello', 'Hola'],
			[undefined, 'Someone', 'Alguien'],
		]);
	});

	it.each([
		['the same words, whatever the gaps between them', { language: 'en', text: ' Good \n morning ' }, 1],
		['the same letters without a gap', { language: 'en', text: 'Goodmorning' }, 2],
		['the same words in another language', { language: 'nl', text: 'Good morning' }, 2],
	])('where the service names no ids it is known by %s', (_, fields, rows) => {
		const captions = createAssembler();
		const typed = { text: 'Good  morning', language: 'en', translate: true };
		captions.settleTyped(captions.type(typed, 0), { is: 'taken' }, null);
		captions.receive(heard({ kind: 'source', transcriptionId: 'own', ...fields }), 10);
		expect(captions.rowCount).toBe(rows);
	});

	it('of another stream is another text, also where the service names no ids', () => {
		const captions = createAssembler();
		captions.settleTyped(captions.type(hola, 0), { is: 'taken' }, null);
		captions.newEpoch(1000);
		captions.receive(heard({}), 2000);
		expect(captions.rowCount).toBe(2);
	});

	it('is one row for ever, whatever else comes and in which order', () => {
		const step = fc.oneof(
			fc.record({ do: fc.constant('type' as const), translate: fc.boolean() }),
			fc.record({ do: fc.constant('settle' as const), at: fc.nat(3), id: fc.constantFrom('x', 'y', null) }),
			fc.record({
				do: fc.constant('hear' as const),
				kind: fc.constantFrom('source' as const, 'translation' as const),
				transcriptionId: fc.constantFrom('x', 'y', 'z'),
				final: fc.boolean(),
			}),
		);
		fc.assert(
			fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
				const captions = createAssembler();
				const ids: string[] = [];
				for (const [at, one] of steps.entries()) {
					if (one.do === 'type') ids.push(captions.type({ ...hola, translate: one.translate }, at));
					if (one.do === 'settle') captions.settleTyped(ids[one.at] ?? '', { is: 'taken' }, one.id);
					if (one.do === 'hear') captions.receive(heard(one), at);
				}
				const typed = rowsOf(captions).filter(([state]) => state !== undefined);
				expect(typed).toHaveLength(ids.length);
				const keys = captions.segments().map(({ key }) => key);
				expect(new Set(keys).size).toBe(keys.length);
			}),
		);
	});
});
