import { type ComponentType, lazy } from 'react';

/** A component that loads when first shown. If loading fails, it renders nothing: the window must not fail. */
export function lazily<Props extends object>(load: () => Promise<ComponentType<Props>>) {
	const nothing: ComponentType<Props> = () => null;
	return lazy(async () => ({ default: await load().catch(() => nothing) }));
}
