import {
	Component,
	type ErrorInfo,
	type ReactNode,
	StrictMode,
	Suspense,
	startTransition,
	useEffect,
	useLayoutEffect,
	useRef,
} from 'react';
import { createRoot } from 'react-dom/client';
import { useStore } from 'zustand';
import { isUnderWay } from '#renderer/conversation/live-changes.ts';
import { useFacing } from '#renderer/face-to-face/use-facing.ts';
import type { createI18n } from '#renderer/i18n/i18n.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { lazilyWithWords } from '#renderer/i18n/use-words.ts';
import { useCommands } from '#renderer/keys/use-commands.ts';
import bar from '#renderer/languages/language-bar.module.css';
import { shownValue, spokenLabel, theirLabel } from '#renderer/languages/shown-language.ts';
import { LivePage } from '#renderer/live/live-page.tsx';
import { NoticeLine, ProblemNotice } from '#renderer/problems/problem-notice.tsx';
import { RecordingLine } from '#renderer/recording/recording-line.tsx';
import { SetupBanner, useOfferSetup } from '#renderer/setup/setup.tsx';
import { Button } from '#renderer/ui/button.tsx';
import { Icon } from '#renderer/ui/icon.tsx';
import combo from '#renderer/ui/search-combo.module.css';
import { createWindowLog } from '#renderer/window-log.ts';
import { shownPair } from '#shared/settings/shown-pair.ts';
import styles from './app.module.css';
import { takeFirstPicture } from './first-picture.ts';
import { Landing, Lazy } from './lazy-page.tsx';
import {
	facePage,
	faceSetup,
	focusTip,
	guestsDialog,
	Loading,
	lastMinute,
	liveParts,
	noticesElsewhere,
	ShownPage,
	shortcutSheet,
	typePage,
} from './pages.tsx';
import { type Parts, PartsContext, useParts } from './parts.ts';
import { Providers } from './providers.tsx';
import { TopBar } from './top-bar.tsx';
import { useTravel } from './use-page-travel.ts';

/** Lazy, so that no start waits for it. */
const Notices = lazilyWithWords(async () => (await import('#renderer/live/notices/notices.tsx')).Notices);

/** The window. A failure while rendering still leaves a Stop button. */
export function App() {
	return (
		<WindowFailure>
			<Window />
		</WindowFailure>
	);
}

/** Shows the current page under one bar. */
function Window() {
	const { t } = useTranslation();
	const { host, account, settings, navigation } = useParts();
	const accountLoaded = useStore(account.store, (view) => view.loaded);
	const settingsLoaded = useStore(settings.store, (view) => view.loaded);
	const accountProblem = useStore(account.store, (view) => view.problem);
	const service = useStore(account.store, (view) => view.status.service);
	const page = useStore(navigation.store, (view) => view.page);
	const inviting = useStore(navigation.store, (view) => view.inviting);
	const facing = useFacing();
	useCommands();
	useOfferSetup();
	const isUsable = accountLoaded && settingsLoaded;
	useTravel(isUsable && service === 'unset' && page === 'live' ? 'welcome' : page);
	// Remove the first picture on every page;
	// if the Start button is shown, it has already done so (`main-button.tsx`).
	useLayoutEffect(() => void takeFirstPicture(), []);
	useEffect(() => {
		if (isUsable) void host.ask('app.usable', undefined);
	}, [host, isUsable]);

	if (!accountLoaded || !settingsLoaded) return <Loading />;
	if (accountProblem) {
		return (
			<main className={styles.loading}>
				<div className={styles.unread}>
					<ProblemNotice problem={accountProblem} />
					<Button look="primary" onPress={() => void account.load()}>
						{t('recovery.retry')}
					</Button>
				</div>
			</main>
		);
	}
	if (service === 'unset' && page === 'live')
		return (
			<>
				<SafeModeNotice />
				<ShownPage page="welcome" />
				<Lazy page={shortcutSheet} with={{}} />
			</>
		);
	// Both people look at the two halves of the window, so show nothing else.
	if (facing && page === 'live') {
		const notices = (
			<>
				<Suspense fallback={null}>
					<Notices />
				</Suspense>
				<RecordingLine />
			</>
		);
		return (
			<div className={styles.app}>
				<Lazy page={facePage} with={{ notices }} meanwhile={<Loading />} />
				<Lazy page={shortcutSheet} with={{}} />
				<Lazy page={lastMinute} with={{}} />
				{inviting && <Lazy page={guestsDialog} with={{}} />}
				<Lazy page={focusTip} with={{}} />
			</div>
		);
	}
	return (
		<div className={styles.app}>
			<TopBar />
			<SafeModeNotice />
			{page === 'live' && <SetupBanner />}
			{page === 'live' && (
				<LivePage
					typing={(panel) => <Lazy page={typePage} with={panel} />}
					facing={<Lazy page={faceSetup} with={{}} />}
					languages={<Lazy page={liveParts.languages} with={{}} meanwhile={<LanguageFrame />} />}
					sound={<Lazy page={liveParts.sound} with={{}} />}
					said={<Lazy page={liveParts.said} with={{}} />}
					typeBox={<Lazy page={liveParts.typeBox} with={{}} />}
				/>
			)}
			{page !== 'live' && (
				<>
					<ShownPage page={page} />
					{/* Below the page, which shrinks, so that its controls do not move. */}
					<Lazy page={noticesElsewhere} with={{}} />
				</>
			)}
			<Lazy page={shortcutSheet} with={{}} />
			<Lazy page={lastMinute} with={{}} />
			{inviting && <Lazy page={guestsDialog} with={{}} />}
			<Lazy page={focusTip} with={{}} />
		</div>
	);
}

/** Shows that the program runs in safe mode, which features are off, and how to leave it. */
function SafeModeNotice() {
	const { t } = useTranslation();
	const { host, info } = useParts();
	if (!info.safeMode) return null;
	return (
		<NoticeLine
			tone="info"
			text={t('safeMode.text')}
			action={{ label: t('safeMode.restart'), take: () => void host.ask('app.restart', undefined) }}
		/>
	);
}

/** Renders in slices, so that the page responds meanwhile; rendering in one go would freeze it until done. */
export function showWindow(parts: Parts, i18n: Awaited<ReturnType<typeof createI18n>>): void {
	const root = document.getElementById('root');
	if (!root) throw new Error('index.html has no #root');
	startTransition(() =>
		createRoot(root).render(
			<StrictMode>
				<Providers parts={parts} i18n={i18n}>
					<App />
				</Providers>
			</StrictMode>,
		),
	);
}

/** Shows the two languages, read-only, where the pickers appear once their code is loaded. */
export function LanguageFrame() {
	const { t } = useTranslation();
	const { settings } = useParts();
	const pair = useStore(settings.store, (view) => view.values);
	const { spoken, target } = shownPair(pair);
	const mine = <Box label={t(spokenLabel(pair.mode))} code={spoken} />;
	const theirs = <Box label={t(theirLabel[pair.mode])} code={target} />;
	const isListening = pair.mode === 'listen';
	return (
		<section className={bar.bar} aria-label={t('languages.title')}>
			{isListening ? theirs : mine}
			<Button look="quiet" square isDisabled aria-label={t('languages.swap')}>
				<Icon name="swap" size={24} />
			</Button>
			{isListening ? mine : theirs}
		</section>
	);
}

function Box({ label, code }: { readonly label: string; readonly code: string }) {
	const { t, i18n } = useTranslation();
	const { valueText, valueLang } = shownValue(code, t, i18n.language);
	return (
		<div className={bar.side}>
			<div className={combo.combo}>
				<span className={combo.label}>{label}</span>
				<div className={combo.box}>
					<span className={`${combo.input} ${combo.still}`} lang={valueLang} dir="auto">
						{valueText}
					</span>
					<span className={combo.arrow}>
						<Icon name="down" />
					</span>
				</div>
			</div>
			<div className={bar.extras} />
		</div>
	);
}

interface State {
	readonly hasFailed: boolean;
	/** How many times the window was rendered again. */
	readonly tries: number;
}

/** Shown after rendering failed: without it not even Stop would remain, and the cost would continue. */
export class WindowFailure extends Component<{ readonly children: ReactNode }, State> {
	static override readonly contextType = PartsContext;
	declare context: React.ContextType<typeof PartsContext>;
	override readonly state: State = { hasFailed: false, tries: 0 };

	static getDerivedStateFromError(): Partial<State> {
		return { hasFailed: true };
	}

	override componentDidCatch(failure: unknown, { componentStack }: ErrorInfo): void {
		if (!this.context) return;
		createWindowLog(this.context.host).error('the window failed', {
			failure: failure instanceof Error ? `${failure.name}: ${failure.message}` : String(failure),
			in: componentStack ?? '',
		});
	}

	override render(): ReactNode {
		const { hasFailed, tries } = this.state;
		if (hasFailed) return <Failed again={() => this.setState({ hasFailed: false, tries: tries + 1 })} />;
		return (
			<>
				{this.props.children}
				{tries > 0 && <Landing key={tries} />}
			</>
		);
	}
}

function Failed({ again }: { readonly again: () => void }) {
	const { t } = useTranslation();
	const { conversation, navigation } = useParts();
	const phase = useStore(conversation.store, (view) => view.phase);
	const main = useRef<HTMLElement>(null);
	// Move the focus, because the element that had it is gone.
	useEffect(() => main.current?.focus(), []);
	const isEnding = phase === 'ending';
	return (
		<main className={styles.loading} ref={main} tabIndex={-1}>
			<div className={styles.unread}>
				<h1 className={styles.name}>{t('app.name')}</h1>
				<ProblemNotice problem={{ kind: 'bug', where: 'window' }} about={t('app.windowFailed')} />
				{isUnderWay(phase) && (
					<Button onPress={() => void (isEnding ? conversation.stopNow() : conversation.stop())}>
						{t(isEnding ? 'live.stopNow' : 'live.stop')}
					</Button>
				)}
				<Button
					look="primary"
					onPress={() => {
						// Go to the live page, because the page that failed would fail again.
						navigation.go('live');
						again();
					}}
				>
					{t('app.showAgain')}
				</Button>
			</div>
		</main>
	);
}
