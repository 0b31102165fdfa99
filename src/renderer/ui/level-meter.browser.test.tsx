import { createRoot } from 'react-dom/client';
import { expect, onTestFinished, test, vi } from 'vitest';
import { page } from 'vitest/browser';
import { createManualClock } from '#test/support/manual-clock.ts';
import { LevelMeter } from './level-meter.tsx';
import { shellSays } from './on-screen.ts';

async function show(active: boolean) {
	const clock = createManualClock();
	const container = document.createElement('div');
	document.body.replaceChildren(container);
	const root = createRoot(container);
	onTestFinished(() => root.unmount());
	let asked = 0;
	let value = 0;
	const level = () => {
		asked += 1;
		return value;
	};
	root.render(<LevelMeter label="Level" level={level} active={active} clock={clock} />);
	const meter = (await page.getByRole('meter').findElement()) as HTMLElement;
	await expect.poll(() => meter.style.getPropertyValue('--level')).toBe('0');
	return {
		clock,
		meter,
		asked: () => asked,
		set(next: number) {
			value = next;
		},
	};
}

test('what is measured is drawn 12 times a second, and told three times a second', async () => {
	const { clock, meter, set } = await show(true);
	set(0.5);
	clock.advance(160);
	expect(meter.style.getPropertyValue('--level')).toBe('0.5');
	set(0.81);
	clock.advance(79);
	expect(meter.style.getPropertyValue('--level')).toBe('0.5');
	clock.advance(1);
	expect(meter.style.getPropertyValue('--level')).toBe('0.82');
	clock.advance(320);
	expect(meter.getAttribute('aria-valuenow')).toBe('82');
});

test('a silent meter looks six times a second, one that is not in use never', async () => {
	const silent = await show(true);
	const before = silent.asked();
	silent.clock.advance(1000);
	expect(silent.asked() - before).toBe(6);
	const unused = await show(false);
	unused.set(0.5);
	unused.clock.advance(1000);
	expect(unused.meter.style.getPropertyValue('--level')).toBe('0');
	expect(unused.asked()).toBe(0);
});

test('meters that begin at different moments are drawn in the same pictures', async () => {
	const { clock, set, asked } = await show(true);
	set(0.5);
	clock.advance(160);
	const container = document.createElement('div');
	document.body.append(container);
	const root = createRoot(container);
	onTestFinished(() => root.unmount());
	clock.advance(30);
	let others = 0;
	const level = () => {
		others += 1;
		return 0.5;
	};
	root.render(<LevelMeter label="Other" level={level} active clock={clock} />);
	await expect.poll(() => others).toBe(1);
	const before = asked();
	clock.advance(50);
	expect([asked() - before, others]).toEqual([1, 2]);
});

function pageHides(hides: boolean): void {
	vi.spyOn(document, 'hidden', 'get').mockReturnValue(hides);
	document.dispatchEvent(new Event('visibilitychange'));
}

test.each([
	['by its page', pageHides],
	['by its shell alone', (hides: boolean) => shellSays(!hides)],
])(
	'a window that is hidden, %s, asks nothing, and shows what there is when it is seen again',
	async (_, hide) => {
		const { clock, meter, set, asked } = await show(true);
		onTestFinished(() => hide(false));
		hide(true);
		clock.advance(160);
		const before = asked();
		set(0.5);
		clock.advance(5000);
		expect(asked()).toBe(before);
		hide(false);
		expect(meter.style.getPropertyValue('--level')).toBe('0.5');
		clock.advance(1000);
		expect(asked() - before).toBeGreaterThan(10);
	},
);

test.each(['ltr', 'rtl'])(
	'it fills from where lines begin (%s), and its colours stay where they are',
	async (dir) => {
		const { clock, meter, set } = await show(true);
		meter.dir = dir;
		meter.style.inlineSize = '200px';
		set(0.3);
		clock.advance(160);
		const frame = meter.getBoundingClientRect();
		const [fill, scale] = [...meter.querySelectorAll('span')].map((part) => part.getBoundingClientRect());
		const end = dir === 'ltr' ? (fill?.right ?? 0) - frame.left : frame.right - (fill?.left ?? 0);
		expect(Math.round((end / frame.width) * 10)).toBe(3);
		expect(Math.abs((scale?.left ?? 0) - frame.left)).toBeLessThan(2);
	},
);
