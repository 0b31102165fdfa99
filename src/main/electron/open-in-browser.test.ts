import { beforeEach, expect, test, vi } from 'vitest';
import { silentLogger } from '#shared/lib/log.ts';

const opened: string[] = [];
const asked: { readonly detail: string; readonly buttons: readonly string[]; readonly cancelId: number }[] =
	[];
let answer = Promise.resolve({ response: 0 });
let hasBrowser = true;
vi.mock('electron', () => ({
	app: {},
	dialog: {
		showMessageBox(options: (typeof asked)[number]) {
			asked.push(options);
			return answer;
		},
	},
	shell: {
		async openExternal(address: string) {
			if (!hasBrowser) throw new Error('no browser');
			opened.push(address);
		},
	},
}));
const { createBrowserOpener } = await import('./open-in-browser.ts');

const address = 'https://docs.palabra.ai/keys';
const outside = () =>
	createBrowserOpener({
		window: () => null,
		words: () => ({ title: 'Open?', open: 'Open', cancel: 'Cancel' }),
		log: silentLogger,
	});

beforeEach(() => {
	opened.length = 0;
	asked.length = 0;
	answer = Promise.resolve({ response: 0 });
	hasBrowser = true;
});

test('a page is opened after the person has read its address and agreed', async () => {
	expect(await outside().open(address)).toBe(true);
	expect(asked.map(({ detail }) => detail)).toEqual([address]);
	expect(opened).toEqual([address]);
});

test('a no, and a question that is closed, open nothing', async () => {
	answer = Promise.resolve({ response: 1 });
	expect(await outside().open(address)).toBe(false);
	expect([opened, asked[0]?.buttons[asked[0].cancelId]]).toEqual([[], 'Cancel']);
});

test('a page cannot heap questions up: what comes while one stands is dropped', async () => {
	let say: (given: { response: number }) => void = () => {};
	answer = new Promise((done) => {
		say = done;
	});
	const door = outside();
	const first = door.open(address);
	for (let times = 0; times < 100; times += 1) expect(await door.open(address)).toBe(false);
	say({ response: 1 });
	expect([await first, asked.length, opened]).toEqual([false, 1, []]);
	answer = Promise.resolve({ response: 0 });
	expect(await door.open(address)).toBe(true);
});

test('a computer that has no browser is no failure of ours, and can be asked again', async () => {
	hasBrowser = false;
	const door = outside();
	expect(await door.open(address)).toBe(false);
	hasBrowser = true;
	expect(await door.open(address)).toBe(true);
});
