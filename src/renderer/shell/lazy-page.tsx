import {
	type ComponentType,
	createContext,
	lazy,
	type ReactNode,
	Suspense,
	useContext,
	useEffect,
	useState,
} from 'react';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { addShownWords } from '#renderer/i18n/use-words.ts';
import { ProblemNotice } from '#renderer/problems/problem-notice.tsx';
import styles from './app.module.css';

/** A page whose code is in its own file, because the first paint does not need it. */
export interface LazyPage<Props extends object> {
	/** The component to render now: the page itself if its code is loaded, otherwise a placeholder. */
	now(): ComponentType<Props>;
	/** Fetches the code, so that the page can then be shown at once. Never rejects. */
	preload(): Promise<void>;
}

/** `name` appears in the report when the code cannot be loaded. A `part` is shown within a page or over it. */
export function lazyPage<Props extends object>(
	name: string,
	load: () => Promise<ComponentType<Props>>,
	stands: 'page' | 'part' = 'page',
): LazyPage<Props> {
	let loaded: ComponentType<Props> | null = null;
	let later = lazy(fetchPage);

	async function fetchPage(): Promise<{ default: ComponentType<Props> }> {
		try {
			const [page] = await Promise.all([load(), addShownWords()]);
			loaded ??= page;
			return { default: loaded };
		} catch {
			// Start over, so that the next visit tries again.
			later = lazy(fetchPage);
			return { default: () => (stands === 'page' ? <MissingPage name={name} /> : <Missing name={name} />) };
		}
	}
	return { now: () => loaded ?? later, preload: async () => void (await fetchPage()) };
}

export interface LazyProps<Props extends object> {
	readonly page: LazyPage<Props>;
	readonly with: Props;
	/** Shown until the code is loaded. */
	readonly meanwhile?: ReactNode;
}

/** A function that tries again to load the missing code. */
const Again = createContext<() => void>(() => {});

/** Shows a page. Another `page` needs another `key`. */
export function Lazy<Props extends object>({ page, with: props, meanwhile }: LazyProps<Props>) {
	// Choose the component once: swapping it would remount the page and lose keyboard focus.
	const [shown, setShown] = useState(() => ({ Page: page.now(), tries: 0 }));
	const { Page, tries } = shown;
	return (
		<Again value={() => setShown({ Page: page.now(), tries: tries + 1 })}>
			<Suspense fallback={meanwhile}>
				<Page {...props} />
				{tries > 0 && <Landing key={tries} />}
			</Suspense>
		</Again>
	);
}

/** Moves focus to the top of the page if the pressed button is gone. Use a new `key` for each press. */
export function Landing() {
	useEffect(() => {
		const main = document.querySelector('main');
		if (!main || document.activeElement !== document.body) return;
		main.tabIndex = -1;
		main.focus();
	}, []);
	return null;
}

function MissingPage({ name }: { readonly name: string }) {
	return (
		<main className={styles.loading}>
			<div className={styles.unread}>
				<Missing name={name} />
			</div>
		</main>
	);
}

function Missing({ name }: { readonly name: string }) {
	const { t } = useTranslation();
	const again = useContext(Again);
	return (
		<ProblemNotice
			problem={{ kind: 'bug', where: `page.${name}` }}
			about={t('app.pageMissing')}
			others={[{ label: t('recovery.retry'), take: again }]}
		/>
	);
}
