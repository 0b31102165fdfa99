import { type KeyboardEvent, useRef } from 'react';
import { useParts } from '#renderer/shell/parts.ts';
import { Icon } from '#renderer/ui/icon.tsx';
import { usePointerHold } from '#renderer/ui/use-pointer-hold.ts';
import type { FaceSide } from '#shared/conversation/turns.ts';
import styles from './face-page.module.css';
import type { HalfWords } from './use-half-words.ts';
import { holdKeys } from './use-hold-keys.ts';

export interface TalkButtonProps {
	readonly side: FaceSide;
	readonly words: HalfWords;
	readonly pressed: 'no' | 'held' | 'tapped';
	readonly isDisabled: boolean;
}

const does = { no: 'face.half.hold', held: 'face.half.release', tapped: 'face.half.finish' } as const;

/** Held down by finger, mouse or keyboard, or tapped before and after. */
export function TalkButton({ side, words: { t }, pressed, isDisabled }: TalkButtonProps) {
	const { turns } = useParts();
	const { onPointerDown, ...held } = usePointerHold(
		() => turns.down(side),
		() => turns.up(side),
	);

	/** It is held by a key, which may come up elsewhere. */
	const isKeyed = useRef(false);
	function lift(): void {
		if (!isKeyed.current) return;
		isKeyed.current = false;
		turns.up(side);
	}
	function key(event: KeyboardEvent, then: () => void): void {
		if (event.key !== ' ' && event.key !== 'Enter') return;
		// Or the browser clicks as well.
		event.preventDefault();
		if (!event.repeat) then();
	}
	function press(): void {
		if (isDisabled) return;
		isKeyed.current = true;
		turns.down(side);
	}

	/** A click without a pointer is that of a screen reader or a switch: a tap. */
	function click(detail: number): void {
		if (isDisabled || detail !== 0) return;
		turns.down(side);
		turns.up(side);
	}

	return (
		<button
			type="button"
			className={styles.talk}
			data-testid={`talk-${side}`}
			aria-pressed={pressed !== 'no'}
			aria-disabled={isDisabled}
			aria-keyshortcuts={holdKeys[side].name}
			onPointerDown={(event) => !isDisabled && onPointerDown(event)}
			{...held}
			onKeyDown={(event) => key(event, press)}
			onKeyUp={(event) => key(event, lift)}
			onBlur={lift}
			onClick={({ detail }) => click(detail)}
			onContextMenu={(event) => event.preventDefault()}
		>
			<Icon name="microphone" size={28} />
			<span>{t(does[pressed])}</span>
			<span className={styles.key} aria-hidden="true">
				{holdKeys[side].name}
			</span>
		</button>
	);
}
