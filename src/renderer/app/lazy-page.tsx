import { type ComponentType, lazy, type ReactNode, Suspense, useState } from 'react';
import { ProblemNotice } from '#renderer/window/problem-notice.tsx';

/** A page whose code is a file of its own, because the first picture does without it. */
export interface LazyPage<Props extends object> {
	/** What to put on the screen now: the page itself where its code is here, else what waits for it. */
	now(): ComponentType<Props>;
	/** Fetches the code, so that the page then stands at once. Never rejects. */
	preload(): Promise<void>;
}

/** `name` is said when the code cannot be had. */
export function lazyPage<Props extends object>(
	name: string,
	load: () => Promise<ComponentType<Props>>,
): LazyPage<Props> {
	let loaded: ComponentType<Props> | null = null;
	let later = lazy(fetchPage);

	async function fetchPage(): Promise<{ default: ComponentType<Props> }> {
		try {
			loaded ??= await load();
			return { default: loaded };
		} catch {
			// The next visit tries again.
			later = lazy(fetchPage);
			return { default: () => <Missing name={name} /> };
		}
	}
	return { now: () => loaded ?? later, preload: async () => void (await fetchPage()) };
}

export interface LazyProps<Props extends object> {
	readonly page: LazyPage<Props>;
	readonly with: Props;
	/** Shown until the code is there. */
	readonly meanwhile?: ReactNode;
}

/** Shows a page. Another `page` needs another `key`. */
export function Lazy<Props extends object>({ page, with: props, meanwhile }: LazyProps<Props>) {
	// Chosen once: another component in its place would begin anew and lose the keyboard.
	const [Shown] = useState(() => page.now());
	return (
		<Suspense fallback={meanwhile}>
			<Shown {...props} />
		</Suspense>
	);
}

function Missing({ name }: { readonly name: string }) {
	return (
		<main>
			<ProblemNotice problem={{ kind: 'bug', where: `page.${name}` }} />
		</main>
	);
}
