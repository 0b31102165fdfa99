import { vi } from 'vitest';

/** As `expect.poll`, which needs to know its test: this also works in tests that run side by side. */
export async function eventually<Value>(
	ask: () => Value | Promise<Value>,
	check: (seen: Value) => void,
	limitMs = 10_000,
): Promise<void> {
	await vi.waitFor(async () => check(await ask()), { timeout: limitMs, interval: 50 });
}
