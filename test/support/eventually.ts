import { vi } from 'vitest';

/** As `expect.poll`, which needs to know its test: this also works in tests that run side by side. */
export async function eventually<Value>(
	ask: () => Value | Promise<Value>,
	check: (seen: Value) => void,
	limitMs = 10_000,
): Promise<void> {
	let last: unknown = new Error(`no answer within ${limitMs} ms: ${ask}`);
	const attempt = async () => {
		try {
			check(await ask());
		} catch (error) {
			last = error;
			throw error;
		}
	};
	// Without it a question that is never answered fails as "Timed out", without saying which.
	await vi.waitFor(attempt, { timeout: limitMs, interval: 50 }).catch(() => {
		throw last;
	});
}
