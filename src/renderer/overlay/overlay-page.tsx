import { type ReactNode, useLayoutEffect } from 'react';
import { I18nProvider } from 'react-aria-components';
import { createRoot } from 'react-dom/client';
import { useStore } from 'zustand';
import { CaptionBox } from '#renderer/captions/caption-box.tsx';
import type { Host } from '#renderer/host.ts';
import type { I18n, TFunction } from '#renderer/i18n/i18n.ts';
import { I18nContext, useTranslation } from '#renderer/i18n/use-translation.ts';
import { useWords } from '#renderer/i18n/use-words.ts';
import hidden from '#renderer/ui/hidden.module.css';
import { Icon, type IconName } from '#renderer/ui/icon.tsx';
import type { Input } from '#shared/host/contract.ts';
import type { OverlayLook } from '#shared/host/overlay.ts';
import { interfaceLanguageFor } from '#shared/i18n/interface-languages.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { OverlayFrame } from '#shared/overlay/frames.ts';
import type { OverlayName } from '#shared/overlay/style.ts';
import { isRightToLeft } from '#shared/protocol/languages.ts';
import type { OverlayMirror } from './overlay-mirror.ts';
import styles from './overlay-page.module.css';

export interface OverlayPageProps {
	readonly host: Host;
	readonly mirror: OverlayMirror;
	readonly i18n: I18n;
}

/** The captions over other windows: a box of text and its buttons. */
export function OverlayPage({ host, mirror, i18n }: OverlayPageProps) {
	const look = useStore(mirror.store, (view) => view.look);
	const frame = useStore(mirror.store, (view) => view.frame);
	const language = useWords(i18n, look ? interfaceLanguageFor(look.interfaceLanguage, look.locales) : 'en');
	const motion = look?.motion ?? 'system';

	useLayoutEffect(() => {
		const root = document.documentElement;
		root.lang = language;
		root.dir = isRightToLeft(language) ? 'rtl' : 'ltr';
		root.dataset['motion'] = motion;
	}, [language, motion]);

	if (!look) return null;
	return (
		<I18nContext value={i18n}>
			<I18nProvider locale={language}>
				<Captions host={host} which={mirror.which} look={look} frame={frame} />
			</I18nProvider>
		</I18nContext>
	);
}

function Captions({
	host,
	which,
	look,
	frame,
}: {
	readonly host: Host;
	readonly which: OverlayName;
	readonly look: OverlayLook;
	readonly frame: OverlayFrame;
}) {
	const { t } = useTranslation();
	const { style, abilities } = look;
	const act = (what: Input<'overlay.act'>['act']) => () => void host.ask('overlay.act', { which, act: what });
	const title = t(overlayTitles[which]);
	useLayoutEffect(() => {
		// Lets users who capture a single window find this one.
		document.title = `${title} · ${t('app.name')}`;
	}, [title, t]);
	const movable = abilities.floats && !style.locked;
	// Clicks on the overlay reach the program below.
	const isPassed = abilities.clickThrough && style.clickThrough;
	return (
		<main className={styles.page} aria-label={title} data-movable={movable} data-floats={abilities.floats}>
			<h1 className={hidden.hidden}>{title}</h1>
			<div className={styles.bar}>
				{!style.locked && !isPassed && (
					<>
						<Tool icon="text-smaller" label={t('captions.smaller')} onPress={act('smaller')} />
						<Tool icon="text-larger" label={t('captions.larger')} onPress={act('larger')} />
						{abilities.floats && <Tool icon="lock" label={t('overlay.lock')} onPress={act('lock')} />}
						<Tool icon="close" label={t('overlay.close')} onPress={act('close')} />
					</>
				)}
			</div>
			{frame.turn && which === 'mine' && (
				<p className={styles.turn} data-turn={frame.turn}>
					{turnWords(frame.turn, t)}
				</p>
			)}
			<CaptionBox style={style} rows={frame.rows} empty={t('overlay.empty')} sides={which === 'mine'} />
		</main>
	);
}

const overlayTitles = { mine: 'overlay.title', audience: 'overlay.audience' } as const;

function turnWords(turn: NonNullable<OverlayFrame['turn']>, t: TFunction): string {
	if (turn === 'mine' || turn === 'theirs') return t(`turnSign.turn.${turn}`);
	return t('turnSign.whose', { whose: t(turn === 'mine-speaks' ? 'legs.mine' : 'legs.theirs') });
}

/** A plain button: the window's theme does not suit an unknown background. */
function Tool({
	icon,
	label,
	onPress,
}: {
	readonly icon: IconName;
	readonly label: string;
	readonly onPress: () => void;
}) {
	return (
		<button type="button" className={styles.tool} aria-label={label} onClick={onPress}>
			<Icon name={icon} size={16} />
		</button>
	);
}

/** Each new attempt waits longer than the previous one by this much, ms. */
const LONGER_MS = 1000;
const TRIES = 20;

/** Renders the captions, and again after an error: others may read them while nobody is there. */
export function keepDrawn(element: HTMLElement, page: ReactNode, clock: Clock): void {
	let failed = 0;
	const root = createRoot(element, {
		onUncaughtError(failure) {
			reportError(failure);
			failed += 1;
			if (failed < TRIES) clock.after(failed * LONGER_MS, () => root.render(page));
		},
	});
	root.render(page);
}
