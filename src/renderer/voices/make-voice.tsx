import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { languageItem, languageValue } from '#renderer/languages/shown-language.ts';
import { recordWords } from '#renderer/problems/problem-notice.tsx';
import { useParts } from '#renderer/shell/parts.ts';
import { Button, ButtonRow } from '#renderer/ui/button.tsx';
import field from '#renderer/ui/field.module.css';
import page from '#renderer/ui/page.module.css';
import { SearchCombo } from '#renderer/ui/search-combo.tsx';
import { Segmented } from '#renderer/ui/segmented.tsx';
import { Select } from '#renderer/ui/select.tsx';
import { Switch } from '#renderer/ui/switch.tsx';
import { TextField } from '#renderer/ui/text-field.tsx';
import { Tick } from '#renderer/ui/tick.tsx';
import type { VoiceEntry, VoiceSample } from '#shared/host/voices.ts';
import { languageName, languageNames, searchLanguages } from '#shared/i18n/language-names.ts';
import { DRAFT_FIELDS, type FieldProblem, type Problem } from '#shared/problem.ts';
import { SAMPLE_LANGUAGES } from '#shared/protocol/cloned-voice.ts';
import { AUTO } from '#shared/protocol/languages.ts';
import {
	CONSENT_WORDING,
	checkVoiceDraft,
	emptyDraft,
	sampleHint,
	sortRefusal,
	type VoiceDraft,
} from '#shared/voices/draft.ts';
import { SampleRecorder } from './recorder.tsx';
import { LABELS, languageWords, sampleWords } from './voice-card.tsx';
import { VoiceProblem } from './voice-problem.tsx';
import styles from './voices-page.module.css';

const labels = ['gender', 'ageGroup', 'mood'] as const;

type Field = FieldProblem['field'];
const named = SAMPLE_LANGUAGES.filter((code) => code !== AUTO);

export interface MakeVoiceProps {
	/** Called with the created voice; `shown`: true if the form was still open. */
	readonly onMade: (entry: VoiceEntry, shown: boolean) => void;
}

/** The form that creates a voice. Its content survives leaving the page, and a failure. */
export function MakeVoice({ onMade }: MakeVoiceProps) {
	const { t, i18n } = useTranslation();
	const { host, voiceForm } = useParts();
	const { draft, attributes, sample, sending: busy, refusal } = useStore(voiceForm.store);
	/** After the first attempt, errors are shown at once. */
	const [tried, setTried] = useState(false);
	const [refused, setRefused] = useState<ReadonlyMap<Field, string>>(nowhere);
	const [problem, setProblem] = useState<Problem | null>(null);
	const [ask, setAsk] = useState<Field | null>(null);
	const form = useRef<HTMLFormElement>(null);
	const title = useRef<HTMLHeadingElement>(null);
	useEffect(() => title.current?.focus(), []);
	const showRefusal = useEffectEvent(refuse);
	// The sample may have arrived while the form was closed.
	useEffect(() => {
		if (refusal) showRefusal(refusal);
	}, [refusal]);
	useEffect(() => {
		if (ask === null) return;
		form.current?.querySelector<HTMLElement>(`[data-field=${ask}] :is(input, button)`)?.focus();
		setAsk(null);
	}, [ask]);

	const wrong = checkVoiceDraft(draft, sample);
	function errorAt(field: Field): string | null {
		const found = tried ? wrong.find((one) => one.field === field) : undefined;
		if (found) return t(`voices.invalid.${field}.${found.reason}` as 'voices.invalid.name.missing');
		return refused.get(field) ?? null;
	}

	function allow(field: Field): void {
		setRefused((before) => new Map([...before].filter(([other]) => other !== field)));
	}

	function change(field: Field, patch: Parameters<typeof voiceForm.change>[0]): void {
		allow(field);
		voiceForm.change(patch);
	}

	async function make(): Promise<void> {
		setTried(true);
		setRefused(nowhere);
		setProblem(null);
		const first = DRAFT_FIELDS_AS_SHOWN.find((field) => wrong.some((one) => one.field === field));
		if (first || !sample) return setAsk(first ?? 'sample');
		voiceForm.send();
		const made = await host.ask('voice.make', { draft, sample: sample.sample });
		const { shown, sample: now } = voiceForm.store.getState();
		voiceForm.answered(made.ok ? null : made.error);
		if (!made.ok) return;
		// Another sample was chosen meanwhile; the form is reset, so discard it.
		if (now && now.sample !== sample.sample) void host.ask('voice.discard-sample', { sample: now.sample });
		onMade(made.value, shown);
	}

	/** Shows each error at its field; an error without a field goes above the button. */
	function refuse(error: Problem): void {
		const at = new Map<Field, string>();
		if (error.kind === 'voice-invalid') {
			for (const { field, reason } of error.fields)
				at.set(field, t(`voices.invalid.${field}.${reason}` as 'voices.invalid.name.missing'));
			if (at.size === 0) setProblem(error);
		} else if (error.kind === 'voice-refused') {
			const { atFields, rest } = sortRefusal(error);
			for (const [field, records] of atFields)
				at.set(field, records.map((record) => recordWords(record, t)).join(' '));
			setProblem(rest);
		} else {
			setProblem(error);
		}
		setRefused(at);
		setAsk(DRAFT_FIELDS_AS_SHOWN.find((field) => at.has(field)) ?? null);
	}

	const shown =
		draft.language === '' || draft.language === AUTO ? null : languageName(draft.language, i18n.language);
	return (
		<form
			ref={form}
			className={page.card}
			aria-labelledby="make-voice"
			noValidate
			onSubmit={(event) => {
				event.preventDefault();
				if (!busy) void make();
			}}
		>
			<h2 id="make-voice" className={page.cardTitle} ref={title} tabIndex={-1}>
				{t('voices.make')}
			</h2>
			<div data-field="name">
				<TextField
					label={t('voices.name')}
					hint={t('voices.nameHint')}
					value={draft.name}
					onChange={(name) => change('name', { name })}
					error={errorAt('name')}
				/>
			</div>
			<div data-field="language">
				<SearchCombo
					label={t('voices.sampleLanguage')}
					showLabel={t('languages.show')}
					emptyText={t('languages.none')}
					value={draft.language}
					{...(shown
						? languageValue(shown)
						: { valueText: draft.language === AUTO ? t('voices.languageAuto') : '' })}
					sectionsFor={sectionsFor}
					onChoose={(language) => change('language', { language })}
					error={errorAt('language')}
				/>
			</div>
			<SamplePart
				language={draft.language === AUTO ? '' : draft.language}
				sample={sample}
				error={errorAt('sample')}
				onSample={(next) => {
					allow('sample');
					voiceForm.setSample(next);
				}}
			/>
			<MorePart
				draft={draft}
				attributes={attributes}
				errorAt={errorAt}
				onChange={(patch) => change('description' in patch ? 'description' : 'labels', patch)}
				onAttributes={(text) => {
					allow('attributes');
					voiceForm.setAttributes(text);
				}}
			/>
			<div data-field="consent" className={styles.consent}>
				<Tick
					isTicked={draft.consent === CONSENT_WORDING}
					isInvalid={errorAt('consent') !== null}
					onChange={(agreed) => change('consent', { consent: agreed ? CONSENT_WORDING : '' })}
				>
					{t('voices.consent')}
				</Tick>
				{errorAt('consent') !== null && (
					<p className={styles.error} role="alert">
						{errorAt('consent')}
					</p>
				)}
			</div>
			{problem && (
				<VoiceProblem
					problem={problem}
					onDismiss={() => {
						voiceForm.dismiss();
						setProblem(null);
					}}
				/>
			)}
			<ButtonRow>
				<Button type="submit" look="primary" isDisabled={busy}>
					{t(busy ? 'voices.making' : 'voices.makeIt')}
				</Button>
				<Button onPress={voiceForm.close}>{t('voices.later')}</Button>
				<Button look="quiet" isDisabled={busy} onPress={discard}>
					{t('voices.discard')}
				</Button>
			</ButtonRow>
		</form>
	);

	function discard(): void {
		if (sample) void host.ask('voice.discard-sample', { sample: sample.sample });
		voiceForm.reset();
	}

	function sectionsFor(typed: string) {
		const items = searchLanguages(languageNames(named, i18n.language), typed).map(languageItem);
		const auto = { id: AUTO, text: languageWords(AUTO, t, i18n.language) };
		return [
			{ id: 'auto', title: t('voices.languageUnsure'), items: typed === '' ? [auto] : [] },
			{ id: 'all', title: t('languages.all'), items },
		];
	}
}

const nowhere: ReadonlyMap<Field, string> = new Map();

/** The fields from top to bottom of the form. */
const DRAFT_FIELDS_AS_SHOWN: readonly Field[] = [
	'name',
	'language',
	...DRAFT_FIELDS.filter((field) => field !== 'name' && field !== 'language'),
];

interface MorePartProps {
	readonly draft: VoiceDraft;
	readonly attributes: string;
	readonly errorAt: (field: 'description' | 'labels' | 'attributes') => string | null;
	readonly onChange: (patch: Partial<VoiceDraft>) => void;
	readonly onAttributes: (text: string) => void;
}

/** Fields for optional details of a voice and for the processing of its sample. */
function MorePart({ draft, attributes, errorAt, onChange, onAttributes }: MorePartProps) {
	const { t } = useTranslation();
	const [isOpen, setOpen] = useState(() => isFilled(draft, attributes));
	const isWrong = (['description', 'labels', 'attributes'] as const).some((one) => errorAt(one) !== null);
	return (
		<details
			className={styles.more}
			open={isOpen || isWrong}
			onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
		>
			<summary>{t('voices.more')}</summary>
			<div data-field="description">
				<TextField
					label={t('voices.description')}
					hint={t('voices.optional')}
					value={draft.description}
					onChange={(description) => onChange({ description })}
					error={errorAt('description')}
				/>
			</div>
			<div data-field="labels" className={styles.three}>
				{labels.map((kind) => (
					<Select<string>
						key={kind}
						label={t(`voices.label.${kind}.title`)}
						options={[
							{ value: '', label: t('voices.notSaid') },
							...LABELS[kind].map((value) => ({
								value,
								label: t(`voices.label.${kind}.${value}` as 'voices.label.mood.neutral'),
							})),
						]}
						value={draft.labels[kind]}
						onChange={(next) => onChange({ labels: { ...draft.labels, [kind]: next } })}
					/>
				))}
				{errorAt('labels') !== null && (
					<p className={styles.error} role="alert">
						{errorAt('labels')}
					</p>
				)}
			</div>
			<div data-field="attributes">
				<TextField
					label={t('voices.attributes')}
					hint={t('voices.attributesHint')}
					value={attributes}
					onChange={onAttributes}
					error={errorAt('attributes')}
				/>
			</div>
			<Switch
				label={t('voices.denoise')}
				hint={t('voices.denoiseHint')}
				isOn={draft.denoise}
				onChange={(denoise) => onChange({ denoise })}
			/>
			<Switch
				label={t('voices.normalise')}
				hint={t('voices.normaliseHint')}
				isOn={draft.normalise}
				onChange={(normalise) => onChange({ normalise })}
			/>
			<Switch
				label={t('voices.skipExternal')}
				hint={t('voices.skipExternalHint')}
				isOn={draft.skipExternal}
				onChange={(skipExternal) => onChange({ skipExternal })}
			/>
		</details>
	);
}

/** Whether any of the optional details was given. */
function isFilled(
	{ description, labels: given, denoise, normalise, skipExternal }: VoiceDraft,
	attributes: string,
) {
	const texts = [description, attributes, ...Object.values(given)];
	return denoise || normalise || skipExternal || texts.some((text) => text !== '');
}

interface SamplePartProps {
	readonly language: string;
	readonly sample: VoiceSample | null;
	/** Error message if the sample is faulty or missing; null = no error. */
	readonly error: string | null;
	readonly onSample: (sample: VoiceSample) => void;
}

/** The requirements for a sample, two methods to provide one, and the current sample. */
function SamplePart({ language, sample, error, onSample }: SamplePartProps) {
	const { t, i18n } = useTranslation();
	const { host } = useParts();
	const [way, setWay] = useState<'record' | 'file'>('record');
	const [again, setAgain] = useState(false);
	const [problem, setProblem] = useState<Problem | null>(null);

	/** Accepts a sample, and only now releases the previous one. */
	function take(next: VoiceSample): void {
		if (sample) void host.ask('voice.discard-sample', { sample: sample.sample });
		onSample(next);
		setAgain(false);
	}

	async function choose(): Promise<void> {
		const chosen = await host.ask('voice.choose-file', undefined);
		setProblem(chosen.ok ? null : chosen.error);
		if (chosen.ok && chosen.value) take(chosen.value);
	}

	const isWrong = checkVoiceDraft(emptyDraft, sample).some(({ field }) => field === 'sample');
	const hint = sample && !isWrong ? sampleHint(sample) : null;
	return (
		<fieldset className={styles.group} data-field="sample">
			<legend className={field.label}>{t('voices.sample')}</legend>
			<p className={styles.quiet}>{t('voices.needs')}</p>
			{error !== null && (
				<p className={styles.error} role="alert">
					{error}
				</p>
			)}
			{sample && !again ? (
				<div className={styles.row}>
					<div>
						<p>{sampleWords(sample, i18n.language)}</p>
						{hint && <p className={styles.quiet}>{t(`voices.sampleHint.${hint}`)}</p>}
					</div>
					<Button onPress={() => setAgain(true)}>{t('voices.otherSample')}</Button>
				</div>
			) : (
				<>
					<Segmented
						label={t('voices.way')}
						labelHidden
						options={[
							{ value: 'record', label: t('voices.wayRecord'), icon: 'microphone' },
							{ value: 'file', label: t('voices.wayFile') },
						]}
						value={way}
						onChange={setWay}
					/>
					{way === 'record' ? (
						<SampleRecorder language={language} onTaken={take} />
					) : (
						<ButtonRow>
							<Button onPress={() => void choose()}>{t('voices.chooseFile')}</Button>
						</ButtonRow>
					)}
					{sample && (
						<ButtonRow>
							<Button look="quiet" onPress={() => setAgain(false)}>
								{t('voices.keepSample')}
							</Button>
						</ButtonRow>
					)}
				</>
			)}
			{problem && <VoiceProblem problem={problem} onRetry={() => void choose()} />}
		</fieldset>
	);
}
