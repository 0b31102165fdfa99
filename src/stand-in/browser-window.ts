import { EventEmitter } from 'node:events';
import type { BrowserWindowConstructorOptions, Rectangle } from 'electron';
import { lifecycle } from './lifecycle.ts';
import { type Running, run } from './program.ts';
import { strict } from './strict.ts';
import { StandInContents } from './web-contents.ts';

let nextId = 0;
const windows = new Set<StandInWindow>();
lifecycle.windows = () => [...windows];

/** A window of the browser. What it cannot do is not here, and using it throws. */
export class StandInWindow extends EventEmitter {
	readonly id: number;
	readonly webContents: StandInContents;
	/** The form the app holds: it throws on what is not here. */
	readonly strictly: StandInWindow = strict('BrowserWindow', this);
	readonly #size: { readonly width: number; readonly height: number };
	#running: Running | null = null;
	#target: string | null = null;
	#destroyed = false;

	constructor(options: BrowserWindowConstructorOptions = {}) {
		super();
		this.id = ++nextId;
		this.#size = { width: options.width ?? 800, height: options.height ?? 600 };
		this.webContents = strict('webContents', new StandInContents(this.id, options.webPreferences?.preload));
		windows.add(this);
	}

	static getAllWindows(): StandInWindow[] {
		return [...windows].map((one) => one.strictly);
	}

	static fromWebContents(contents: unknown): StandInWindow | null {
		const { id } = contents as { id: number };
		return [...windows].find((one) => one.webContents.id === id)?.strictly ?? null;
	}

	async loadURL(address: string): Promise<void> {
		if (this.#target === null) await this.#open();
		await this.webContents.load(address);
		this.emit('ready-to-show');
	}

	async #open(): Promise<void> {
		const running = await run(this.#size);
		this.#running = running;
		const { browser } = running;
		const isFirst = this.id === 1;
		const made = isFirst
			? { targetId: running.firstPage }
			: await browser.root.send('Target.createTarget', {
					url: running.server.blank,
					newWindow: true,
					...this.#size,
				});
		const target = String(made.targetId);
		this.#target = target;
		const { sessionId } = await browser.root.send('Target.attachToTarget', {
			targetId: target,
			flatten: true,
		});
		browser.root.on('Target.targetDestroyed', ({ targetId }) => {
			if (targetId === target) this.#gone();
		});
		browser.root.on('Target.targetCreated', ({ targetInfo }) => {
			const { openerId, targetId, url } = targetInfo as { openerId?: string; targetId: string; url: string };
			if (openerId !== target) return;
			this.webContents.opened(url);
			browser.root.send('Target.closeTarget', { targetId }).catch(() => {});
		});
		void browser.exited.then(() => this.#gone());
		await this.webContents.attach(running, browser.session(String(sessionId)));
	}

	/** The page has gone: closed by a person (who is not asked) or by `destroy`. */
	#gone(): void {
		if (this.#destroyed) return;
		this.#destroyed = true;
		this.webContents.detach();
		windows.delete(this);
		this.emit('closed');
		if (windows.size === 0) lifecycle.allClosed();
	}

	/** As Electron's: `close` may be prevented. */
	close(): void {
		if (this.#destroyed) return;
		let prevented = false;
		this.emit('close', {
			preventDefault() {
				prevented = true;
			},
		});
		if (!prevented) this.destroy();
	}

	destroy(): void {
		if (this.#destroyed) return;
		const [running, targetId] = [this.#running, this.#target];
		if (running && targetId) running.browser.root.send('Target.closeTarget', { targetId }).catch(() => {});
		this.#gone();
	}

	isDestroyed(): boolean {
		return this.#destroyed;
	}

	show(): void {
		this.focus();
	}

	/** A browser's window cannot be hidden; it is about to go anyway when the app asks for it. */
	hide(): void {}

	focus(): void {
		const [running, targetId] = [this.#running, this.#target];
		if (running && targetId) running.browser.root.send('Target.activateTarget', { targetId }).catch(() => {});
	}

	isMinimized(): boolean {
		return false;
	}

	restore(): void {
		this.focus();
	}

	getBounds(): Rectangle {
		return { x: 0, y: 0, ...this.#size };
	}
}

/** `new BrowserWindow(…)` gives the strict form. */
export const BrowserWindow = new Proxy(StandInWindow, {
	construct: (target, [options]) => new target(options as BrowserWindowConstructorOptions).strictly,
});
