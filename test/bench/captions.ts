import { createAssembler } from '#shared/captions/assembler.ts';
import type { TranscriptMessage } from '#shared/protocol/server-message.ts';

/**
 * Cost of one caption message by how many captions there are already; it should not grow. Run with
 * `node test/bench/captions.ts`. Prints, asserts nothing: times depend on the machine.
 */
const SIZES = [100, 1_000, 10_000, 50_000];
/** The best of these counts: the others met something else on the machine. */
const ROUNDS = 7;
const UPDATES = 20_000;

function message(index: number, text: string, final: boolean): TranscriptMessage {
	return {
		type: 'transcript',
		kind: index % 2 === 0 ? 'source' : 'translation',
		final,
		transcriptionId: `id${index >> 1}`,
		partId: '0',
		language: index % 2 === 0 ? 'en' : 'es',
		text,
		startS: index,
		endS: index + 1,
	};
}

/** Microseconds per message, the row it belongs to built as the view would. */
function measure(size: number): number {
	const captions = createAssembler();
	captions.newEpoch(0, 0);
	for (let index = 0; index < size; index++) captions.receive(message(index, 'Said.', true), index * 1000);
	const updates = Array.from({ length: UPDATES }, (_, n) => message(size + (n % 4), `open ${n}`, false));
	const start = performance.now();
	for (const update of updates) {
		captions.receive(update, size * 1000);
		captions.rowAt(captions.rowCount - 1);
	}
	return ((performance.now() - start) * 1000) / UPDATES;
}

for (const size of SIZES) {
	const bestUs = Math.min(...Array.from({ length: ROUNDS }, () => measure(size)));
	console.log(`${String(size).padStart(6)} captions: ${bestUs.toFixed(2)} µs per message`);
}
