import type { Cancel, Clock } from './clock.ts';

export type Scope = ReturnType<typeof createScope>;

/** Owner of timers, listeners and resources: `close` undoes everything that was added, newest first. */
export function createScope(clock: Clock) {
	const undos = new Set<Cancel>();
	let closed = false;

	function add(undo: Cancel): Cancel {
		if (closed) {
			undo();
			return () => {};
		}
		// A fresh function per entry, so that adding the same undo twice keeps both.
		const entry = () => undo();
		undos.add(entry);
		return () => {
			if (undos.delete(entry)) entry();
		};
	}

	function after(delayMs: number, run: () => void): Cancel {
		if (closed) return () => {};
		let remove: Cancel = () => {};
		const cancel = clock.after(delayMs, () => {
			remove();
			run();
		});
		remove = add(cancel);
		return remove;
	}

	return {
		get closed(): boolean {
			return closed;
		},
		/** Keeps `undo` until `close`; runs it at once if closed. Returns a function that undoes it earlier. */
		add,
		after,
		every: (periodMs: number, run: () => void): Cancel =>
			closed ? () => {} : add(clock.every(periodMs, run)),
		/** Runs every `undo` once, newest first. A failing one does not prevent the others. */
		close(): void {
			if (closed) return;
			closed = true;
			const failures: unknown[] = [];
			for (const undo of [...undos].reverse()) {
				try {
					undo();
				} catch (failure) {
					failures.push(failure);
				}
			}
			undos.clear();
			if (failures.length > 0) throw new AggregateError(failures, 'scope: an undo failed');
		},
	};
}
