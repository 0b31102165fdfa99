import { EventEmitter } from 'node:events';
import { program } from './program.ts';

interface Closable {
	close(): void;
	isDestroyed(): boolean;
}

/** Events of `app` and the way out, in Electron's order. */
export const lifecycle = {
	events: new EventEmitter(),
	windows: (): readonly Closable[] => [],
	quitting: false,

	/** `before-quit` may be prevented, and so may each window's `close`. */
	quit(): void {
		let prevented = false;
		const event = {
			preventDefault() {
				prevented = true;
			},
		};
		lifecycle.events.emit('before-quit', event);
		if (prevented) return;
		lifecycle.quitting = true;
		for (const window of lifecycle.windows()) window.close();
		if (lifecycle.windows().some((window) => !window.isDestroyed())) {
			lifecycle.quitting = false;
			return;
		}
		lifecycle.events.emit('will-quit', event);
		if (!prevented) void lifecycle.exit(0);
	},

	allClosed(): void {
		if (lifecycle.quitting) return;
		if (lifecycle.events.listenerCount('window-all-closed') === 0) lifecycle.quit();
		else lifecycle.events.emit('window-all-closed');
	},

	/** Ends the browser, then the program, without a question. */
	async exit(code: number): Promise<void> {
		lifecycle.quitting = true;
		const running = await program.running?.catch(() => null);
		running?.server.close();
		await running?.browser.close();
		lifecycle.events.emit('quit', {}, code);
		process.exit(code);
	},
};
