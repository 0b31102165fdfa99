import { type ReactNode, useState } from 'react';
import { useStore } from 'zustand';
import { isOver } from '#renderer/conversation/conversation.ts';
import { dayAndTime, duration, factsOf, list, seconds, size, speed } from '#renderer/i18n/format.ts';
import { isolate, type TFunction } from '#renderer/i18n/i18n.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { problemWords } from '#renderer/problems/problem-notice.tsx';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import { Button, ButtonRow } from '#renderer/ui/button.tsx';
import field from '#renderer/ui/field.module.css';
import page from '#renderer/ui/page.module.css';
import { TextField } from '#renderer/ui/text-field.tsx';
import type { VoiceEntry } from '#shared/host/voices.ts';
import { languageLabel } from '#shared/i18n/language-names.ts';
import {
	AUTO,
	isRightToLeft,
	localeTag,
	matchLanguage,
	SPOKEN_LANGUAGES,
} from '#shared/protocol/languages.ts';
import { firstSentence } from './texts-to-read.ts';
import { isReady } from './voice-picker.tsx';
import { VoiceProblem } from './voice-problem.tsx';
import styles from './voices-page.module.css';

export interface VoiceCardProps {
	readonly entry: VoiceEntry;
	/** True while a request to main about this voice is open. */
	readonly busy: boolean;
	readonly onUse: (entry: VoiceEntry & { readonly voiceId: string }) => void;
	readonly onCancel: () => void;
	readonly onRetry: () => void;
	readonly onRefresh: () => void;
	readonly onRename: () => void;
	readonly onForget: () => void;
}

export function VoiceCard(props: VoiceCardProps) {
	const { entry, busy } = props;
	const { t, i18n } = useTranslation();
	const locale = i18n.language;
	const uses = useSetting('voices');
	const voiceOf = useSetting('voiceOf');
	const name = isolate(entry.name);
	const usedFor = Object.keys(uses).filter((code) => entry.voiceId !== null && uses[code] === entry.voiceId);
	const target = isolate(languageLabel(voiceOf, locale));
	const act = (words: string, label: string, onPress: () => void): ReactNode => (
		<Button isDisabled={busy} aria-label={label} onPress={onPress}>
			{words}
		</Button>
	);
	const isOpen = entry.status !== 'ready' && entry.status !== 'failed';

	return (
		<li className={page.card} data-status={entry.status}>
			<div className={styles.row}>
				<div>
					<h3 className={styles.name}>
						<bdi>{entry.name}</bdi>
					</h3>
					<p className={styles.status} data-status={entry.status}>
						{statusWords(entry, t)}
					</p>
				</div>
				<ButtonRow>
					{isReady(entry) &&
						!usedFor.includes(voiceOf) &&
						act(
							t('voices.useFor', { language: target }),
							t('voices.useNamed', { name, language: target }),
							() => props.onUse(entry),
						)}
					{entry.active && isOpen && act(t('app.cancel'), t('voices.cancelNamed', { name }), props.onCancel)}
					{entry.status === 'pending' &&
						act(t('voices.refresh'), t('voices.refreshNamed', { name }), props.onRefresh)}
					{act(t('voices.rename'), t('voices.renameNamed', { name }), props.onRename)}
					{act(t('voices.forget'), t('voices.forgetNamed', { name }), props.onForget)}
				</ButtonRow>
			</div>
			{entry.upload && <UploadProgress upload={entry.upload} />}
			{entry.renewed && isOpen && <p className={styles.quiet}>{t('voices.renewed')}</p>}
			{entry.takingLong && <p role="status">{t('voices.takingLong')}</p>}
			<Sayings title={t('voices.errors')} texts={entry.errors} />
			<Sayings title={t('voices.warnings')} texts={entry.warnings} />
			{entry.problem ? (
				<VoiceProblem problem={entry.problem} onRetry={entry.canRetry ? props.onRetry : undefined} />
			) : (
				entry.canRetry &&
				entry.status !== 'pending' && (
					<ButtonRow>{act(t('recovery.retry'), t('voices.retryNamed', { name }), props.onRetry)}</ButtonRow>
				)
			)}
			{usedFor.length > 0 && (
				<p>
					{t('voices.usedFor', {
						languages: list(
							usedFor.map((code) => isolate(languageLabel(code, locale))),
							locale,
						),
					})}
				</p>
			)}
			{isReady(entry) && <TryVoice name={name} language={entry.language} voiceId={entry.voiceId} />}
			<details>
				<summary className={styles.quiet}>{t('voices.details')}</summary>
				<dl className={styles.facts}>{facts().map(fact)}</dl>
			</details>
		</li>
	);

	function facts(): readonly (readonly [string, string])[] {
		const labels = (['gender', 'ageGroup', 'mood'] as const).flatMap((kind) => {
			const value = entry.labels[kind];
			if (value === '') return [];
			const known = (LABELS[kind] as readonly string[]).includes(value);
			return [known ? t(`voices.label.${kind}.${value}` as never) : isolate(value)];
		});
		return [
			[t('voices.language'), languageWords(entry.language, t, locale)],
			[t('voices.labels'), labels.length > 0 ? list(labels, locale) : ''],
			[t('voices.attributes'), list(entry.attributes.map(isolate), locale)],
			[t('voices.description'), isolate(entry.description)],
			[t('voices.madeAt'), dayAndTime(entry.madeAt, locale)],
			[t('voices.sample'), sampleWords(entry.sample, locale)],
			[t('voices.consentGiven'), dayAndTime(entry.consent.at, locale)],
			[t('voices.id'), entry.voiceId ?? ''],
		];
	}

	function fact([term, words]: readonly [string, string]): ReactNode {
		const isEmpty = words.replace(/[\u2066-\u2069]/g, '') === '';
		return isEmpty ? null : (
			<div key={term}>
				<dt>{term}</dt>
				<dd dir="auto">{words}</dd>
			</div>
		);
	}
}

/** Shows sentences from the service unchanged. */
function Sayings({ title, texts }: { readonly title: string; readonly texts: readonly string[] }) {
	if (texts.length === 0) return null;
	return (
		<div>
			<p className={field.label}>{title}</p>
			<ul className={styles.sayings}>
				{[...new Set(texts)].map((text) => (
					<li key={text}>
						<bdi>{text}</bdi>
					</li>
				))}
			</ul>
		</div>
	);
}

interface TryVoiceProps {
	readonly name: string;
	/** Language of the sample; also the language of the test sentence, if the service can speak that language. */
	readonly language: string;
	readonly voiceId: string;
}

/** Speaks a sentence in a voice, over the text-to-speech socket. */
function TryVoice({ name, language, voiceId }: TryVoiceProps) {
	const { t, i18n } = useTranslation();
	const { typing, conversation } = useParts();
	const spoken = matchLanguage(language, SPOKEN_LANGUAGES) ?? 'en';
	const [text, setText] = useState(() => firstSentence(spoken));
	const isLive = useStore(conversation.store, (view) => !isOver(view));
	const last = useStore(typing.store, (queue) => queue.texts.findLast((one) => one.voiceId === voiceId));
	const halted = useStore(typing.store, (queue) => queue.halted);
	const isBusy = last !== undefined && ['waiting', 'making', 'speaking'].includes(last.state.is) && !halted;
	const problem = last?.state.is === 'failed' ? last.state.problem : halted;

	function say(): void {
		if (halted) typing.goOn();
		typing.say(text, { language: spoken, voiceId });
	}

	return (
		<form
			className={styles.try}
			onSubmit={(event) => {
				event.preventDefault();
				if (!isBusy && !isLive && text.trim() !== '') say();
			}}
		>
			<TextField
				label={t('voices.tryLabel', { name })}
				lang={localeTag(spoken)}
				dir={isRightToLeft(spoken) ? 'rtl' : 'ltr'}
				value={text}
				onChange={setText}
			/>
			{isBusy ? (
				<Button onPress={() => typing.cancel(last.id)}>{t('voices.tryStop')}</Button>
			) : (
				<Button type="submit" isDisabled={isLive || text.trim() === ''}>
					<span>{t('voices.trySay')}</span>
				</Button>
			)}
			<p role="status" className={styles.quiet}>
				{isLive ? t('voices.tryLive') : problem ? problemWords(problem, t, i18n.language) : ''}
			</p>
		</form>
	);
}

/** How much of the sample is uploaded, the upload speed, and the remaining time. */
function UploadProgress({ upload }: { readonly upload: NonNullable<VoiceEntry['upload']> }) {
	const { t, i18n } = useTranslation();
	const locale = i18n.language;
	const { sentBytes, totalBytes, bytesPerS, secondsLeft } = upload;
	const words = [
		t('voices.sent', { sent: isolate(size(sentBytes, locale)), total: isolate(size(totalBytes, locale)) }),
		bytesPerS > 0 ? isolate(speed(bytesPerS, locale)) : '',
		secondsLeft === null ? '' : t('voices.left', { time: isolate(duration(secondsLeft * 1000, locale)) }),
	];
	return (
		<div className={styles.stack}>
			<progress
				className={styles.progress}
				aria-label={t('voices.uploadProgress')}
				value={sentBytes}
				max={Math.max(1, totalBytes)}
			/>
			<p className={styles.quiet}>{factsOf(words)}</p>
		</div>
	);
}

/** Label values that the interface can translate; the service always gets the value unchanged. */
export const LABELS = {
	gender: ['female', 'male', 'neutral'],
	ageGroup: ['child', 'young', 'middle-aged', 'old'],
	mood: ['neutral', 'calm', 'cheerful', 'serious', 'energetic'],
} as const;

export function languageWords(code: string, t: TFunction, locale: string): string {
	return code === AUTO ? t('voices.languageAuto') : languageLabel(code, locale);
}

/** Name, size and length of a sample in one line. */
export function sampleWords(
	sample: { readonly name: string; readonly bytes: number; readonly durationMs: number | null },
	locale: string,
): string {
	const length = sample.durationMs === null ? [] : [isolate(seconds(sample.durationMs, locale))];
	return [isolate(sample.name), isolate(size(sample.bytes, locale)), ...length].join(' · ');
}

export function statusWords(entry: VoiceEntry, t: TFunction): string {
	if (entry.status === 'created' && !entry.active) return t('voices.status.unsent');
	if (entry.status === 'uploading' && !entry.active) return t('voices.status.unsent');
	return t(`voices.status.${entry.status}`);
}
