import { createRoot } from 'react-dom/client';
import { expect, onTestFinished, test } from 'vitest';
import { shellSays } from '#renderer/ui/on-screen.ts';
import { createFakeWindow } from '#test/support/fake-window.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { PartsContext } from './parts.ts';
import { useNow } from './use-now.ts';

test('a clock stands while nobody sees the window, and is right at once when somebody does', async () => {
	onTestFinished(() => shellSays(true));
	const clock = createManualClock();
	const { parts } = createFakeWindow({ clock });
	function Shown({ running }: { readonly running: boolean }) {
		return <p>{useNow(running) / 1000}</p>;
	}
	const container = document.createElement('div');
	const root = createRoot(container);
	onTestFinished(() => root.unmount());
	const show = (running: boolean) =>
		root.render(
			<PartsContext value={parts}>
				<Shown running={running} />
			</PartsContext>,
		);
	show(true);
	await expect.poll(() => clock.pending).toBe(1);
	clock.advance(3000);
	await expect.poll(() => container.textContent).toBe('3');

	shellSays(false);
	clock.advance(7000);
	await new Promise((done) => requestAnimationFrame(done));
	expect(container.textContent).toBe('3');
	shellSays(true);
	await expect.poll(() => container.textContent).toBe('10');

	show(false);
	await expect.poll(() => clock.pending).toBe(0);
});
