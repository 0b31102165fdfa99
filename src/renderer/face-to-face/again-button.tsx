import { useStore } from 'zustand';
import { useParts } from '#renderer/shell/parts.ts';
import { Button } from '#renderer/ui/button.tsx';
import hidden from '#renderer/ui/hidden.module.css';
import { Icon } from '#renderer/ui/icon.tsx';
import type { FaceSide } from '#shared/conversation/turns.ts';
import { type FaceLanguages, lineFor } from './face-sides.ts';
import type { HalfWords } from './use-half-words.ts';

/** No more is said in the time for which a voice is kept. */
const ROWS_LOOKED_AT = 100;

export interface AgainButtonProps {
	readonly side: FaceSide;
	readonly languages: FaceLanguages;
	readonly words: HalfWords;
	/** There is no room for its name, which is read out all the same. */
	readonly iconOnly: boolean;
}

/** Plays what the other said last again, in the language of this half; pressed again, what they said before. */
export function AgainButton({ side, languages, words: { t }, iconOnly }: AgainButtonProps) {
	const { conversation, replay, turns } = useParts();
	const { captions } = conversation;
	const kept = useStore(replay.rows);
	// Speakers are not interrupted, and the replay is not translated from the loudspeaker.
	const isTalking = useStore(turns.store, ({ pressed }) => pressed.me !== 'no' || pressed.partner !== 'no');

	function toldHere(): ReadonlySet<string> {
		const { rows } = captions.store.getState();
		const ids = new Set<string>();
		for (let index = rows - 1; index >= Math.max(0, rows - ROWS_LOOKED_AT); index--) {
			const row = captions.row(index);
			const line = row && lineFor(row, side, languages);
			if (line && !line.own && kept.has(line.key)) ids.add(line.key);
		}
		return ids;
	}

	const isThere = kept.size > 0 && toldHere().size > 0;
	return (
		<Button
			look="plain"
			{...(iconOnly && { tip: t('face.half.again') })}
			isDisabled={!isThere || isTalking}
			onPress={() => {
				const ids = toldHere();
				replay.last((row) => ids.has(row));
			}}
		>
			<Icon name="again" size={24} />
			<span className={iconOnly ? hidden.hidden : ''}>{t('face.half.again')}</span>
		</Button>
	);
}
