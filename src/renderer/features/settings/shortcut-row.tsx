import { useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { Button } from '#renderer/ui/button.tsx';
import { Icon } from '#renderer/ui/icon.tsx';
import { KeyCaps } from '#renderer/window/components/key-caps.tsx';
import { useParts, useSetting } from '#renderer/window/parts.ts';
import { isolate } from '#renderer/window/words/i18n.ts';
import { isEdited, type Refusal, resetSlot, withKey, withoutKey } from '#shared/commands/assigned.ts';
import { keyCaps } from '#shared/commands/combination.ts';
import { type Slot, type SlotName, slots } from '#shared/commands/commands.ts';
import { KeyRecorder } from './key-recorder.tsx';
import styles from './shortcuts-section.module.css';

export interface ShortcutRowProps {
	readonly slot: Slot;
	readonly keys: readonly string[];
	/** Another that has the same keys: only the first of the two gets them. */
	readonly conflict: SlotName | null;
}

/** A command, its keys, and how to change them. */
export function ShortcutRow({ slot, keys, conflict }: ShortcutRowProps) {
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
		// The focused element is gone.
		if (recorded.current && !recording && document.activeElement === document.body) add.current?.focus();
		recorded.current = recording;
	}, [recording]);
	const name = t(`shortcuts.names.${slot.command}`);
	const say = (text: string) => isolate(keyCaps(text, { mac: info.platform === 'darwin' }).join(' + '));
	const nameOf = (other: SlotName) => {
		const command = slots.find((one) => one.name === other)?.command;
		return command ? isolate(t(`shortcuts.names.${command}`)) : '';
	};

	function write(shortcuts: typeof edited): void {
		setRefused(null);
		setRecording(false);
		void settings.write({ shortcuts });
	}

	return (
		<li className={styles.row} aria-labelledby={id} data-slot={slot.name}>
			<span id={id} className={styles.name}>
				{name}
			</span>
			<div className={styles.keys}>
				{keys.length === 0 && !recording && <span className={styles.none}>{t('shortcuts.none')}</span>}
				{keys.map((text) => (
					<span key={text} className={styles.key}>
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
			<div className={styles.words} role="status">
				{refused?.refusal.why === 'reserved' && (
					<p className={styles.warning}>
						{t(`shortcuts.reserved.${refused.refusal.reserved}`, { keys: say(refused.text) })}
					</p>
				)}
				{refused?.refusal.why === 'taken' && (
					<p className={styles.warning}>
						{t('shortcuts.taken', { keys: say(refused.text), name: nameOf(refused.refusal.by) })}{' '}
						<Button onPress={() => write(withKey(edited, slot, refused.text))}>
							{t('shortcuts.takeOver')}
						</Button>
					</p>
				)}
				{conflict && <p className={styles.warning}>{t('shortcuts.conflict', { name: nameOf(conflict) })}</p>}
				{isTaken && <p className={styles.warning}>{t('shortcuts.otherProgram')}</p>}
			</div>
		</li>
	);
}
