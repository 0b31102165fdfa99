import type { Input, Output } from '#shared/host/contract.ts';
import { ok, type Result } from '#shared/lib/result.ts';
import type { OverlayAbilities } from '#shared/overlay/abilities.ts';
import { type OverlayName, overlayNames } from '#shared/overlay/overlays.ts';
import type { Problem } from '#shared/problem.ts';
import { createOverlay, type Overlay, type OverlayParts } from './overlay.ts';

/** The answers to the requests of `shared/host/overlay.ts`. */
export interface OverlayAnswers {
	'overlay.show'(frame: Input<'overlay.show'>): Promise<Result<void, Problem>>;
	'overlay.abilities'(): Promise<Result<OverlayAbilities, Problem>>;
	'overlay.read'(input: Input<'overlay.read'>): Promise<Result<Output<'overlay.read'>, Problem>>;
	'overlay.act'(input: Input<'overlay.act'>): Promise<Result<void, Problem>>;
}

/** The captions over other windows, both of them. */
export interface Overlays extends Pick<Overlay, 'begin' | 'pageGone' | 'close'> {
	readonly answers: OverlayAnswers;
}

export function createOverlays(parts: Omit<OverlayParts, 'name'>): Overlays {
	const overlays: { readonly [Name in OverlayName]: Overlay } = {
		mine: createOverlay({ ...parts, name: 'mine' }),
		audience: createOverlay({ ...parts, name: 'audience' }),
	};
	function each(run: (overlay: Overlay) => void): void {
		for (const name of overlayNames) run(overlays[name]);
	}
	return {
		answers: {
			'overlay.show': async (frame) => ok(each((overlay) => overlay.show(frame))),
			'overlay.abilities': async () => ok(parts.abilities),
			'overlay.read': async ({ which }) => ok(overlays[which].read()),
			'overlay.act': async ({ which, act }) => ok(overlays[which].act(act)),
		},
		begin: () => each((overlay) => overlay.begin()),
		pageGone: () => each((overlay) => overlay.pageGone()),
		close: () => each((overlay) => overlay.close()),
	};
}
