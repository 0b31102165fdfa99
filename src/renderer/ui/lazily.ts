import { type ComponentType, lazy } from 'react';

/**
 * A part of the page that is loaded when it is first shown. One that cannot be loaded is left out: without it the window
 * would fail as a whole.
 */
export function lazily<Props extends object>(load: () => Promise<ComponentType<Props>>) {
	const nothing: ComponentType<Props> = () => null;
	return lazy(async () => ({ default: await load().catch(() => nothing) }));
}
