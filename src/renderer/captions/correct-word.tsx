import {
	type CSSProperties,
	type ReactNode,
	useEffect,
	useId,
	useLayoutEffect,
	useRef,
	useState,
} from 'react';
import { createPortal } from 'react-dom';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { AskDialog } from '#renderer/shell/ask-dialog.tsx';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import { Button, ButtonRow } from '#renderer/ui/button.tsx';
import field from '#renderer/ui/field.module.css';
import formStyles from '#renderer/ui/form.module.css';
import { Icon } from '#renderer/ui/icon.tsx';
import { landAfterDialog } from '#renderer/ui/restore-focus.ts';
import { Segmented } from '#renderer/ui/segmented.tsx';
import { TextField } from '#renderer/ui/text-field.tsx';
import { withCorrection, wordsIn } from '#shared/captions/apply-corrections.ts';
import { type Correction, LONGEST_CORRECTION } from '#shared/captions/corrections.ts';
import { languageLabel } from '#shared/i18n/language-names.ts';
import { isRightToLeft, localeTag } from '#shared/protocol/languages.ts';
import styles from './correct-word.module.css';

/** The text in one language: the source or a translation. */
export interface CorrectableText {
	readonly language: string;
	readonly text: string;
}

export interface CorrectProps {
	/** The texts of one row, at least one. */
	readonly texts: readonly CorrectableText[];
	/** The selected words, and the language of their text. */
	readonly marked: { readonly language: string; readonly words: string } | null;
	/** The correction to change, instead of adding a new one. */
	readonly given?: Correction;
	readonly onClose: () => void;
}

export function CorrectDialog(props: CorrectProps) {
	const { t } = useTranslation();
	const { fields, save, isReady } = useCorrection(props);
	return (
		<AskDialog
			title={t('correct.editTitle')}
			isOpen
			onClose={props.onClose}
			verb={t('correct.save')}
			isDisabled={!isReady}
			onDo={save}
		>
			{fields}
		</AskDialog>
	);
}

/** Position of the word, or of the button that was pressed. */
export interface Place extends Pick<DOMRect, 'left' | 'right' | 'top' | 'bottom'> {}

export interface CorrectPopoverProps extends CorrectProps {
	readonly at: Place;
	/** The element that gets the focus back. */
	readonly opener: Element | null;
}

/** Distance from the word, and from the edge of the window, CSS px. */
const GAP_PX = 8;

/** A popover to correct a word while the conversation continues. Clicking elsewhere does not close it. */
export function CorrectPopover({ at, opener, ...props }: CorrectPopoverProps) {
	const { t } = useTranslation();
	const { onClose, marked } = props;
	const hasWord = marked !== null;
	const { fields, save, isReady } = useCorrection(props);
	const [place, setPlace] = useState<CSSProperties>({});
	const box = useRef<HTMLDivElement>(null);
	const title = useId();

	useLayoutEffect(() => {
		const one = box.current;
		if (!one) return;
		const put = () => setPlace(placeBeside(at, one.offsetWidth, one.offsetHeight));
		const sizes = new ResizeObserver(put);
		sizes.observe(one);
		window.addEventListener('resize', put);
		put();
		return () => {
			sizes.disconnect();
			window.removeEventListener('resize', put);
		};
	}, [at]);

	useEffect(() => {
		const one = box.current;
		// If a word is marked, only the right word has to be typed.
		const boxes = one?.querySelectorAll<HTMLElement>('input[type="text"]');
		(hasWord ? boxes?.[1] : one?.querySelector<HTMLElement>('fieldset button'))?.focus();
		return () => {
			const had = one?.contains(document.activeElement) || document.activeElement === document.body;
			if (!had) return;
			if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
			landAfterDialog();
		};
	}, [opener, hasWord]);

	useEffect(() => {
		const pressed = (event: KeyboardEvent) => {
			const over = event.target instanceof Element ? event.target.closest(OVER) : null;
			if (event.key !== 'Escape' || (over && over !== box.current)) return;
			event.preventDefault();
			event.stopPropagation();
			onClose();
		};
		window.addEventListener('keydown', pressed, { capture: true });
		return () => window.removeEventListener('keydown', pressed, { capture: true });
	}, [onClose]);

	return createPortal(
		<div
			ref={box}
			role="dialog"
			aria-labelledby={title}
			data-beside
			className={styles.popover}
			style={place}
			onKeyDown={(event) => keepInside(event.nativeEvent, event.currentTarget)}
		>
			<div className={styles.head}>
				<h2 id={title}>{t('correct.title')}</h2>
				<Button look="quiet" square aria-label={t('app.close')} onPress={onClose}>
					<Icon name="close" />
				</Button>
			</div>
			<div className={styles.body}>{fields}</div>
			<div className={styles.foot}>
				<Button onPress={onClose}>{t('app.cancel')}</Button>
				<Button look="primary" isDisabled={!isReady} onPress={save}>
					{t('correct.save')}
				</Button>
			</div>
		</div>,
		document.body,
	);
}

/** Overlays that may cover the popover and handle Escape themselves. */
const OVER = '[role=dialog],[role=alertdialog],[role=listbox],[role=menu]';
const REACHED = 'button:not(:disabled):not([tabindex="-1"]), input:not([tabindex="-1"])';

/** Makes Tab after the last control move to the first. */
function keepInside(event: KeyboardEvent, box: HTMLElement): void {
	if (event.key !== 'Tab') return;
	const all = [...box.querySelectorAll<HTMLElement>(REACHED)].filter((one) => one.checkVisibility());
	const [from, to] = event.shiftKey ? [all[0], all.at(-1)] : [all.at(-1), all[0]];
	if (document.activeElement !== from) return;
	event.preventDefault();
	to?.focus();
}

/** Places the box below the word, else above it, else where there is room; always inside the window. */
function placeBeside(at: Place, width: number, height: number): CSSProperties {
	const isRtl = document.documentElement.dir === 'rtl';
	const left = isRtl ? at.right - width : at.left;
	const most = { left: window.innerWidth - width - GAP_PX, top: window.innerHeight - height - GAP_PX };
	const below = at.bottom + GAP_PX;
	const above = at.top - GAP_PX - height;
	const top = below <= most.top ? below : above >= GAP_PX ? above : most.top;
	return { left: Math.max(GAP_PX, Math.min(left, most.left)), top: Math.max(GAP_PX, top) };
}

/** The fields of a correction: replaces one word by another in one language, in past and future captions. */
function useCorrection({ texts, marked, given, onClose }: CorrectProps): {
	readonly fields: ReactNode;
	readonly save: () => void;
	readonly isReady: boolean;
} {
	const { t, i18n } = useTranslation();
	const { settings } = useParts();
	const corrections = useSetting('corrections');
	const [language, setLanguage] = useState(marked?.language ?? texts[0]?.language ?? '');
	const [wrong, setWrong] = useState(marked?.words ?? '');
	const [right, setRight] = useState(given?.right ?? '');
	const [full, setFull] = useState(false);
	const replacement = useRef<HTMLInputElement>(null);
	const text = texts.find((one) => one.language === language)?.text ?? '';
	const written = { lang: localeTag(language), dir: isRightToLeft(language) ? 'rtl' : 'ltr' } as const;
	const isReady = wrong.trim() !== '' && right.trim() !== '';

	function choose(word: string): void {
		setWrong(word);
		replacement.current?.focus();
	}

	function save(): void {
		if (!isReady) return;
		// Compare by value, because any change of a setting creates a new list.
		const others = corrections.filter((one) => one.language !== given?.language || one.wrong !== given.wrong);
		const next = withCorrection(others, { language, wrong, right });
		if (next === null) {
			setFull(true);
			return;
		}
		void settings.write({ corrections: [...next] });
		onClose();
	}

	const fields = (
		<form
			className={formStyles.form}
			onSubmit={(event) => {
				event.preventDefault();
				save();
			}}
		>
			{texts.length > 1 && (
				<Segmented
					label={t('voices.language')}
					options={texts.map((one) => ({
						value: one.language,
						label: languageLabel(one.language, i18n.language),
					}))}
					value={language}
					onChange={(next) => {
						setLanguage(next);
						setWrong('');
					}}
				/>
			)}
			<fieldset className={styles.words}>
				<legend className={field.label}>{t('correct.press')}</legend>
				<div {...written}>
					<ButtonRow>
						{wordsIn(text, language).map((word) => (
							<Button key={word} aria-pressed={word === wrong} onPress={() => choose(word)}>
								<bdi>{word}</bdi>
							</Button>
						))}
					</ButtonRow>
				</div>
			</fieldset>
			<TextField
				label={t('correct.wrong')}
				{...written}
				value={wrong}
				onChange={(next) => setWrong(next.slice(0, LONGEST_CORRECTION))}
			/>
			<TextField
				label={t('correct.right')}
				ref={replacement}
				{...written}
				value={right}
				onChange={(next) => setRight(next.slice(0, LONGEST_CORRECTION))}
				hint={t('correct.hint', { language: languageLabel(language, i18n.language) })}
				error={full ? t('correct.full') : undefined}
			/>
			<button type="submit" hidden />
		</form>
	);
	return { fields, save, isReady };
}
