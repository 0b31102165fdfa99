import { type ComponentType, lazy } from 'react';

/**
 * A component that is loaded when it is first shown. If loading fails, it renders nothing, so that the window
 * does not fail.
 */
export function lazily<Props extends object>(load: () => Promise<ComponentType<Props>>) {
	const nothing: ComponentType<Props> = () => null;
	return lazy(async () => ({ default: await load().catch(() => nothing) }));
}
