import { useEffect, useEffectEvent, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useParts, useSetting } from '#renderer/window/parts.ts';
import { assignedBy, type Refusal, refusalOf } from '#shared/commands/assigned.ts';
import { combinationOf } from '#shared/commands/combination.ts';
import type { Slot } from '#shared/commands/commands.ts';
import styles from './shortcuts-section.module.css';

export interface KeyRecorderProps {
	readonly slot: Slot;
	/** Name of the command, for the screen reader. */
	readonly name: string;
	/** A null refusal: the combination is free. */
	readonly pressed: (text: string, refusal: Refusal | null) => void;
	/** The person gave up: with Escape, or by moving focus elsewhere. */
	readonly ended: () => void;
}

/** Records the next combination. Escape and Tab leave it, so that nobody is trapped in it. */
export function KeyRecorder({ slot, name, pressed, ended }: KeyRecorderProps) {
	const { t } = useTranslation();
	const mac = useParts().info.platform === 'darwin';
	const assigned = assignedBy(useSetting('shortcuts'));
	const field = useRef<HTMLButtonElement>(null);

	const take = useEffectEvent((event: KeyboardEvent) => {
		if (document.activeElement !== field.current) return;
		const text = combinationOf(event, { mac });
		if (text === 'Tab' || text === 'Shift+Tab') return;
		// Handled before anything else sees it: the window's keys, the menu's, or the page.
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
			className={styles.recorder}
			data-records-keys
			aria-label={t('shortcuts.pressFor', { name })}
			onBlur={(event) => {
				// Not when focus moves to the button that accepts or removes the keys.
				if (!event.currentTarget.closest('li')?.contains(event.relatedTarget)) ended();
			}}
		>
			{t('shortcuts.press')}
		</button>
	);
}
