import { useEffect, useEffectEvent, useId, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { isolate } from '#renderer/i18n/i18n.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { KeyCaps } from '#renderer/keys/key-caps.tsx';
import { useCommandName, useSlotGroups } from '#renderer/keys/use-command-groups.ts';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import { phraseLanguage } from '#renderer/typing/ready-phrases.ts';
import { Button, ButtonRow } from '#renderer/ui/button.tsx';
import { Icon } from '#renderer/ui/icon.tsx';
import { languageLabel } from '#shared/i18n/language-names.ts';
import {
	assignedBy,
	conflictsIn,
	isEdited,
	type Refusal,
	refusalOf,
	resetSlot,
	withKey,
	withoutKey,
} from '#shared/keys/assigned.ts';
import { combinationOf, keyCaps } from '#shared/keys/combination.ts';
import { type Scope, type Slot, type SlotName, slots } from '#shared/keys/commands.ts';
import { ButtonsRow, Section, SwitchSetting } from './setting-fields.tsx';
import styles from './settings-page.module.css';
import rows from './shortcuts-section.module.css';

export function ShortcutsSection() {
	const { t } = useTranslation();
	const { settings, shell, navigation } = useParts();
	const edited = useSetting('shortcuts');
	const globalKeys = useSetting('globalKeys');
	const system = useStore(shell.store, (view) => view.globalKeys);
	const holds = useStore(shell.store, (view) => view.holds);
	const assigned = assignedBy(edited);
	const talk = isolate(t('shortcuts.names.talk'));
	const conflicts = conflictsIn(assigned);
	const byScope = { window: useSlotGroups('window'), global: useSlotGroups('global') };
	const rowsOf = (scope: Scope) =>
		byScope[scope].map((group, index) => (
			<div key={group.title}>
				<h3 id={`${scope}-${index}`} className={rows.group}>
					{group.title}
				</h3>
				<ul className={rows.list} aria-labelledby={`${scope}-${index}`}>
					{group.slots.map((slot) => (
						<ShortcutRow
							key={slot.name}
							slot={slot}
							keys={assigned.get(slot.name) ?? []}
							conflict={conflicts.get(slot.name) ?? null}
						/>
					))}
				</ul>
			</div>
		));
	return (
		<Section title={t('shortcuts.title')} place="shortcuts">
			<p className={styles.reason}>{t('shortcuts.lead')}</p>
			<div data-setting="shortcuts">{rowsOf('window')}</div>
			<Phrases />
			<SwitchSetting name="globalKeys" label={t('shortcuts.globalKeys')} hint={t('shortcuts.globalHint')} />
			{system !== 'works' && (
				<p className={styles.reason} role="note">
					{t(
						system === 'portal'
							? 'shortcuts.globalPortal'
							: holds
								? 'shortcuts.globalTalkOnly'
								: 'shortcuts.globalNone',
						{ name: talk },
					)}
				</p>
			)}
			{globalKeys && (system !== 'none' || holds) && (
				<p className={styles.reason} role="note">
					{t(holds ? 'shortcuts.globalHeld' : 'shortcuts.globalNotHeld', {
						name: talk,
					})}
				</p>
			)}
			{globalKeys && <section aria-label={t('shortcuts.global')}>{rowsOf('global')}</section>}
			<ButtonRow>
				<Button
					isDisabled={Object.keys(edited).length === 0}
					onPress={() => void settings.write({ shortcuts: {} })}
				>
					{t('shortcuts.resetAll')}
				</Button>
				<Button look="quiet" onPress={() => navigation.showShortcuts(true)}>
					{t('shortcuts.sheet')}
				</Button>
			</ButtonRow>
		</Section>
	);
}

/** The sentences of the phrase keys, in the language the user types in now. */
function Phrases() {
	const { t, i18n } = useTranslation();
	const { settings, drafts, navigation } = useParts();
	const chosen = useStore(drafts, (draft) => draft.writtenIn);
	const language = useStore(settings.store, ({ values }) => phraseLanguage(values, chosen));
	const lead = t('phrases.lead', { language: languageLabel(language, i18n.language) });
	return (
		<ButtonsRow name="phrases" label={t('phrases.title')} words={<p className={styles.reason}>{lead}</p>}>
			<Button onPress={() => navigation.changePhrases(language)}>{t('phrases.change')}</Button>
		</ButtonsRow>
	);
}

interface ShortcutRowProps {
	readonly slot: Slot;
	readonly keys: readonly string[];
	/** Another command with the same keys, which run only the first of the two; null = none. */
	readonly conflict: SlotName | null;
}

/** A command, its keys, and how to change them. */
function ShortcutRow({ slot, keys, conflict }: ShortcutRowProps) {
	const { t } = useTranslation();
	const { settings, shell, info } = useParts();
	const edited = useSetting('shortcuts');
	const [recording, setRecording] = useState(false);
	const [refused, setRefused] = useState<{ readonly text: string; readonly refusal: Refusal } | null>(null);
	const isTaken = useStore(shell.store, (view) => view.refusedKeys.includes(slot.name));
	const id = useId();
	const add = useRef<HTMLButtonElement>(null);
	const recorded = useRef(false);
	useEffect(() => {
		// Restore focus, because the focused element has disappeared.
		if (recorded.current && !recording && document.activeElement === document.body) add.current?.focus();
		recorded.current = recording;
	}, [recording]);
	const nameOfCommand = useCommandName();
	const name = nameOfCommand(slot.command);
	const say = (text: string) => isolate(keyCaps(text, { mac: info.platform === 'darwin' }).join(' + '));
	const nameOf = (other: SlotName) => {
		const command = slots.find((one) => one.name === other)?.command;
		return command ? isolate(nameOfCommand(command)) : '';
	};

	function write(shortcuts: typeof edited): void {
		setRefused(null);
		setRecording(false);
		void settings.write({ shortcuts });
	}

	return (
		<li className={rows.row} aria-labelledby={id} data-slot={slot.name}>
			<span id={id} className={rows.name}>
				{name}
			</span>
			<div className={rows.keys}>
				{keys.length === 0 && !recording && <span className={rows.none}>{t('shortcuts.none')}</span>}
				{keys.map((text) => (
					<span key={text} className={rows.key}>
						<KeyCaps keys={text} />
						<Button
							look="quiet"
							square
							aria-label={t('shortcuts.remove', { keys: say(text), name })}
							onPress={() => write(withoutKey(edited, slot, text))}
						>
							<Icon name="close" size={16} />
						</Button>
					</span>
				))}
				{recording ? (
					<KeyRecorder
						slot={slot}
						name={name}
						pressed={(text, refusal) => {
							if (refusal === null) write(withKey(edited, slot, text));
							else setRefused({ text, refusal });
						}}
						ended={() => {
							setRecording(false);
							setRefused(null);
						}}
					/>
				) : (
					<Button ref={add} aria-label={t('shortcuts.addFor', { name })} onPress={() => setRecording(true)}>
						{t('shortcuts.add')}
					</Button>
				)}
				{isEdited(edited, slot) && (
					<Button
						look="quiet"
						aria-label={t('shortcuts.resetOne', { name })}
						onPress={() => write(resetSlot(edited, slot))}
					>
						{t('settings.reset')}
					</Button>
				)}
			</div>
			<div className={rows.words} role="status">
				{refused?.refusal.why === 'reserved' && (
					<p className={rows.warning}>
						{t(`shortcuts.reserved.${refused.refusal.reserved}`, { keys: say(refused.text) })}
					</p>
				)}
				{refused?.refusal.why === 'taken' && (
					<p className={rows.warning}>
						{t('shortcuts.taken', { keys: say(refused.text), name: nameOf(refused.refusal.by) })}{' '}
						<Button onPress={() => write(withKey(edited, slot, refused.text))}>
							{t('shortcuts.takeOver')}
						</Button>
					</p>
				)}
				{conflict && <p className={rows.warning}>{t('shortcuts.conflict', { name: nameOf(conflict) })}</p>}
				{isTaken && <p className={rows.warning}>{t('shortcuts.otherProgram')}</p>}
			</div>
		</li>
	);
}

interface KeyRecorderProps {
	readonly slot: Slot;
	/** Name of the command, for the screen reader. */
	readonly name: string;
	/** Called with the pressed keys; a null refusal means that the combination is free. */
	readonly pressed: (text: string, refusal: Refusal | null) => void;
	/** The user gave up, with Escape or by moving focus elsewhere. */
	readonly ended: () => void;
}

/** Records the next combination. Escape and Tab leave it, so that it is no keyboard trap. */
function KeyRecorder({ slot, name, pressed, ended }: KeyRecorderProps) {
	const { t } = useTranslation();
	const mac = useParts().info.platform === 'darwin';
	const assigned = assignedBy(useSetting('shortcuts'));
	const field = useRef<HTMLButtonElement>(null);

	const take = useEffectEvent((event: KeyboardEvent) => {
		if (document.activeElement !== field.current) return;
		const text = combinationOf(event, { mac });
		if (text === 'Tab' || text === 'Shift+Tab') return;
		// Handle the key before the window, the menu or the page does.
		event.preventDefault();
		event.stopImmediatePropagation();
		if (event.repeat || text === null) return;
		if (text === 'Escape') ended();
		else pressed(text, refusalOf(text, slot, assigned));
	});

	useEffect(() => {
		const heard = (event: KeyboardEvent) => take(event);
		window.addEventListener('keydown', heard, true);
		field.current?.focus();
		return () => window.removeEventListener('keydown', heard, true);
	}, []);

	return (
		<button
			ref={field}
			type="button"
			className={rows.recorder}
			data-records-keys
			aria-label={t('shortcuts.pressFor', { name })}
			onBlur={(event) => {
				// Continue if focus moves to the button that accepts or removes the keys.
				if (!event.currentTarget.closest('li')?.contains(event.relatedTarget)) ended();
			}}
		>
			{t('shortcuts.press')}
		</button>
	);
}
