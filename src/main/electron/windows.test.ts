import type { EventEmitter } from 'node:events';
import { beforeEach, expect, test, vi } from 'vitest';
import { silentLogger } from '#shared/lib/log.ts';
import { createManualClock } from '#test/support/manual-clock.ts';

const did: string[] = [];
const made: EventEmitter[] = [];
const windows: EventEmitter[] = [];
/** How loading the next pages of a window ends; none = they load. */
const fates: ((contents: EventEmitter) => void)[] = [];
vi.mock('electron', async () => {
	const { EventEmitter: Emitter } = await import('node:events');
	class FakeContents extends Emitter {
		isThere = false;
		constructor() {
			super();
			this.on('did-navigate', () => {
				this.isThere = true;
			});
		}
		reload() {
			did.push('reload');
			if (!this.isThere) return;
			this.emit('did-navigate');
			this.emit('did-finish-load');
		}
		forcefullyCrashRenderer() {
			did.push('ended');
			this.emit('render-process-gone', {}, { reason: 'killed' });
		}
	}
	class BrowserWindow extends Emitter {
		webContents = new FakeContents();
		async loadURL() {
			made.push(this.webContents);
			windows.push(this);
			const fate = fates.shift();
			if (fate) {
				fate(this.webContents);
				throw new Error('ERR_FAILED (-2)');
			}
			this.webContents.emit('did-navigate');
			this.webContents.emit('did-finish-load');
		}
		show = () => void did.push('show');
		focus = () => void did.push('focus');
		hide = () => void did.push('hide');
		full = false;
		isFullScreen = () => this.full;
		setFullScreen = (on: boolean) => void did.push(`full screen ${on}`);
		isDestroyed = () => false;
		isVisible = () => true;
		isMinimized = () => false;
	}
	return {
		BrowserWindow,
		protocol: {},
		shell: {},
		systemPreferences: {
			askForMediaAccess() {
				did.push('asked');
				return new Promise(() => {});
			},
		},
	};
});
const { openMainWindow } = await import('./windows.ts');
const { askForMicrophone } = await import('./microphone-access.ts');

beforeEach(() => {
	did.length = 0;
	made.length = 0;
	windows.length = 0;
	fates.length = 0;
	questions.length = 0;
	starts.length = 0;
	shown.length = 0;
});

const shown: string[] = [];

/** The reports about the starts of the page. */
const starts: string[] = [];

/** Whether to wait for a page that does not answer. */
const questions: { readonly signal: AbortSignal; answer(it: 'wait' | 'reload'): void }[] = [];

async function open(leaves: () => Promise<boolean> = async () => false, clock = createManualClock()) {
	const main = openMainWindow({
		preload: '',
		size: { width: 1, height: 1 },
		clock,
		log: silentLogger,
		closeAsked: () => void did.push('close asked'),
		systemEnds: () => void did.push('system ends'),
		shownChanged: () => void shown.push('changed'),
		async pageGone() {
			did.push('given up');
		},
		pageBegins: () => void starts.push('begins'),
		pageTroubled: () => void starts.push('troubled'),
		leaves,
		givenUp: () => void did.push('down'),
		askHung: (signal) => new Promise((answer) => void questions.push({ signal, answer })),
	});
	expect(main.window()).toBe(windows.at(-1));
	await main.opened;
	return { main, contents: made[0] as EventEmitter, window: windows[0] as EventEmitter };
}

test('the first page of a window costs nothing; each one after it gives up what the one before held', async () => {
	const { contents } = await open();
	expect(did).toEqual([]);
	contents.emit('did-navigate');
	contents.emit('did-navigate');
	expect(did).toEqual(['given up', 'given up']);
});

test('before we load the page again ourselves, what it holds is given up', async () => {
	const { main } = await open();
	main.reload();
	await expect.poll(() => did).toContain('reload');
	expect(did.slice(0, 2)).toEqual(['given up', 'reload']);
});

test('a page that crashes is loaded again after its sessions were given up, three times and no more', async () => {
	const { contents } = await open();
	for (let death = 0; death < 4; death++) contents.emit('render-process-gone', {}, { reason: 'crashed' });
	await expect.poll(() => did).toContain('down');
	expect(did.filter((it) => it === 'reload')).toHaveLength(3);
	expect(did.indexOf('given up')).toBeLessThan(did.indexOf('reload'));
});

test('a page that crashes now and then is loaded again each time', async () => {
	const clock = createManualClock();
	const { contents } = await open(undefined, clock);
	for (let death = 0; death < 6; death++) {
		contents.emit('render-process-gone', {}, { reason: 'crashed' });
		await clock.run(3_600_000);
	}
	expect(did.filter((it) => it === 'reload')).toHaveLength(6);
	expect(did).not.toContain('down');
});

/** The page dies before it is loaded. */
const dies = (contents: EventEmitter) =>
	void contents.emit('render-process-gone', {}, { reason: 'launch-failed' });

test('a page that dies before it is loaded is loaded again like any other, three times and no more', async () => {
	const clock = createManualClock();
	fates.push(dies);
	await open(undefined, clock);
	await clock.run(10);
	expect([did, made.length]).toEqual([['given up', 'given up'], 2]);
	expect(starts).toEqual(['begins', 'troubled', 'begins']);
	did.length = 0;
	made.length = 0;
	fates.push(dies, dies, dies, dies);
	const failed = vi.fn();
	open(undefined, clock).catch(failed);
	await clock.run(10);
	expect(made).toHaveLength(4);
	expect([did.at(-1), failed.mock.calls]).toEqual(['down', []]);
});

test('a first page that cannot be loaded is tried again, and its death, told late, is not counted twice', async () => {
	const clock = createManualClock();
	const nothing = () => {};
	fates.push(nothing, nothing, nothing, nothing);
	void open(undefined, clock);
	await clock.run(10);
	expect([made.length, did.at(-1)]).toEqual([4, 'down']);
	fates.push((contents) => setImmediate(dies, contents));
	did.length = 0;
	made.length = 0;
	const opening = open(undefined, clock);
	await new Promise((done) => setImmediate(done));
	await clock.run(10);
	await opening;
	expect(made).toHaveLength(2);
	expect(starts.filter((it) => it === 'troubled')).toHaveLength(5);
});

test('closed by the person, the window stays, and its owner is asked', async () => {
	const { window } = await open();
	const preventDefault = vi.fn();
	window.emit('close', { preventDefault });
	expect([did, preventDefault.mock.calls.length]).toEqual([['close asked'], 1]);
});

test('Windows shuts down or logs off: it waits until the program has ended by itself', async () => {
	const { window } = await open();
	const preventDefault = vi.fn();
	window.emit('query-session-end', { preventDefault });
	expect([did, preventDefault.mock.calls.length]).toEqual([['system ends'], 1]);
	window.emit('session-end', {});
	expect(did).toEqual(['system ends', 'system ends']);
});

test('macOS: a window in full screen leaves that before it is hidden; wanted meanwhile, it stays', async () => {
	const { main, window } = await open();
	Object.assign(window, { full: true });
	main.hide();
	expect(did).toEqual(['hide']);
	vi.stubGlobal('process', { ...process, platform: 'darwin' });
	did.length = 0;
	main.hide();
	main.hide();
	expect(did).toEqual(['full screen false', 'full screen false']);
	Object.assign(window, { full: false });
	window.emit('leave-full-screen');
	expect(did.slice(2)).toEqual(['hide']);
	Object.assign(window, { full: true });
	main.hide();
	main.focus();
	Object.assign(window, { full: false });
	window.emit('leave-full-screen');
	vi.unstubAllGlobals();
	expect(did.slice(3)).toEqual(['full screen false', 'show', 'focus']);
});

test('each start of the page is told, and what goes wrong in it; a program that is left loads nothing more', async () => {
	const answers = [false, true];
	const { window, contents } = await open(async () => answers.shift() ?? false);
	expect(starts).toEqual(['begins']);
	contents.emit('render-process-gone', {}, { reason: 'crashed' });
	await expect.poll(() => starts).toEqual(['begins', 'troubled', 'begins']);
	window.emit('unresponsive');
	expect(starts.at(-1)).toBe('troubled');
	contents.emit('render-process-gone', {}, { reason: 'crashed' });
	await expect.poll(() => answers).toEqual([]);
	await Promise.resolve();
	expect(did.filter((it) => it === 'reload')).toHaveLength(1);
	expect(starts.filter((it) => it === 'begins')).toHaveLength(2);
});

test('a page that does not answer is asked about once, and ended and loaded again only when the user wants it', async () => {
	const { window } = await open();
	window.emit('unresponsive');
	window.emit('unresponsive');
	expect(questions).toHaveLength(1);
	questions[0]?.answer('wait');
	await Promise.resolve();
	await Promise.resolve();
	expect(did).toEqual([]);
	window.emit('unresponsive');
	expect(questions).toHaveLength(2);
	questions[1]?.answer('reload');
	await expect.poll(() => did).toContain('reload');
	expect(did.slice(0, 3)).toEqual(['ended', 'given up', 'reload']);
});

test('the question goes when the page answers again, and when it dies; an answer to it counts no more', async () => {
	const { window, contents } = await open();
	window.emit('unresponsive');
	window.emit('responsive');
	expect(questions[0]?.signal.aborted).toBe(true);
	questions[0]?.answer('reload');
	await Promise.resolve();
	expect(did).toEqual([]);
	window.emit('unresponsive');
	contents.emit('render-process-gone', {}, { reason: 'oom' });
	expect(questions[1]?.signal.aborted).toBe(true);
	questions[1]?.answer('reload');
	await expect.poll(() => did).toContain('reload');
	expect(did).not.toContain('ended');
});

test('the question of macOS for the microphone is asked and holds nothing up', () => {
	vi.stubGlobal('process', { ...process, platform: 'darwin' });
	expect(askForMicrophone()).toBeUndefined();
	expect(did).toEqual(['asked']);
	vi.stubGlobal('process', { ...process, platform: 'linux' });
	askForMicrophone();
	vi.unstubAllGlobals();
	expect(did).toEqual(['asked']);
});

test('it is known when nobody sees the window, whose page is never told', async () => {
	const { main, window } = await open();
	expect(main.isShown()).toBe(true);
	for (const event of ['minimize', 'restore', 'hide', 'show']) window.emit(event);
	expect(shown).toHaveLength(4);
	const fake = window as EventEmitter & {
		isVisible(): boolean;
		isMinimized(): boolean;
		isDestroyed(): boolean;
	};
	for (const [hidden, seen] of [
		[{ isMinimized: () => true }, { isMinimized: () => false }],
		[{ isVisible: () => false }, { isVisible: () => true }],
	] as const) {
		Object.assign(fake, hidden);
		expect(main.isShown()).toBe(false);
		Object.assign(fake, seen);
		expect(main.isShown()).toBe(true);
	}
	fake.isDestroyed = () => true;
	expect(main.isShown()).toBe(false);
});

test('a page that crashes every minute is given up, too', async () => {
	const clock = createManualClock();
	const { contents } = await open(undefined, clock);
	for (let death = 0; death < 4; death++) {
		contents.emit('render-process-gone', {}, { reason: 'crashed' });
		await clock.run(60_000);
	}
	expect(did.filter((it) => it === 'reload')).toHaveLength(3);
	expect(did.at(-1)).toBe('down');
});

test('a window that is minimised is restored before it comes to the front', async () => {
	const { main, window } = await open();
	Object.assign(window, { isMinimized: () => true, restore: () => void did.push('restore') });
	main.focus();
	expect(did).toEqual(['restore', 'show', 'focus']);
});
