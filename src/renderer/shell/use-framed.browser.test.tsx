import { createRoot } from 'react-dom/client';
import { expect, onTestFinished, test } from 'vitest';
import { createStore } from 'zustand/vanilla';
import { shellSays } from '#renderer/ui/on-screen.ts';
import { useFramed } from './use-framed.ts';

const frame = () => new Promise((done) => requestAnimationFrame(done));

test('while nobody sees the window nothing is rendered, and the newest state is when somebody does', async () => {
	onTestFinished(() => shellSays(true));
	const store = createStore<{ said: number }>(() => ({ said: 0 }));
	let renders = 0;
	function Shown() {
		renders += 1;
		return <p>{useFramed(store).said}</p>;
	}
	const container = document.createElement('div');
	const root = createRoot(container);
	onTestFinished(() => root.unmount());
	root.render(<Shown />);
	await expect.poll(() => container.textContent).toBe('0');
	store.setState({ said: 1 });
	await expect.poll(() => container.textContent).toBe('1');

	shellSays(false);
	const before = renders;
	for (let said = 2; said < 12; said += 1) {
		store.setState({ said });
		await frame();
	}
	expect([renders - before, container.textContent]).toEqual([0, '1']);

	shellSays(true);
	await expect.poll(() => container.textContent).toBe('11');
	expect(renders - before).toBe(1);
	store.setState({ said: 12 });
	await expect.poll(() => container.textContent).toBe('12');
});
