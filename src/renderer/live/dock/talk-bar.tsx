import type { KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { isRunning } from '#renderer/conversation/live-changes.ts';
import type { TalkView } from '#renderer/conversation/talk.ts';
import { KeyCaps } from '#renderer/keys/key-caps.tsx';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import { Icon } from '#renderer/ui/icon.tsx';
import { usePointerHold } from '#renderer/ui/use-pointer-hold.ts';
import { assignedBy } from '#shared/keys/assigned.ts';
import { ariaKeys } from '#shared/keys/combination.ts';
import styles from './talk-bar.module.css';

const POINTER = 'pointer';
const BUTTON = 'button';

/** The button to hold while a conversation runs with push to talk. */
export function TalkBar() {
	const { t } = useTranslation();
	const { conversation, talk, info } = useParts();
	const running = useStore(conversation.store, (view) => isRunning(view.phase));
	const muted = useStore(conversation.store, (view) => view.muted);
	const view = useStore(talk.store);
	const isMeeting = useSetting('mode') === 'meeting';
	const keys = assignedBy(useSetting('shortcuts')).get('talk') ?? [];
	const held = usePointerHold(
		() => talk.down(POINTER),
		() => talk.up(POINTER),
	);
	if (!running || view.mode === 'open') return null;
	const state = stateOf(view, isMeeting);
	const mutes = view.mode === 'push-to-mute';

	function key(event: KeyboardEvent, then: () => void): void {
		if (event.key !== ' ' && event.key !== 'Enter') return;
		if (event.ctrlKey || event.metaKey || event.altKey) return;
		// Or the browser clicks as well.
		event.preventDefault();
		if (!event.repeat) then();
	}

	return (
		<div className={styles.bar} data-open={view.open && !muted} data-testid="talk">
			<button
				type="button"
				className={styles.button}
				aria-pressed={view.pressed !== 'no'}
				aria-keyshortcuts={ariaKeys(keys, { mac: info.platform === 'darwin' }) || undefined}
				aria-describedby="talk-state"
				{...held}
				onKeyDown={(event) => key(event, () => talk.down(BUTTON))}
				onKeyUp={(event) => key(event, () => talk.up(BUTTON))}
				onBlur={() => talk.up(BUTTON)}
				// A click without a pointer is that of a screen reader or a switch, which cannot hold.
				onClick={({ detail }) => detail === 0 && talk.toggle()}
				onContextMenu={(event) => event.preventDefault()}
			>
				<Icon name={view.open && !muted ? 'microphone' : 'microphone-off'} />
				{t(`talk.${labels[view.mode]}`)}
				{keys[0] && (
					<span aria-hidden="true">
						<KeyCaps keys={keys[0]} />
					</span>
				)}
			</button>
			<p id="talk-state" className={styles.state} role="status">
				{muted ? t('phase.mutedLive') : t(`talk.${state}`)}
				{view.pressed === 'toggled' && <span> · {t(mutes ? 'talk.toggledMute' : 'talk.toggledOn')}</span>}
			</p>
			{view.unheard && !muted && state === 'silent' && (
				<p className={styles.unheard} role="alert">
					{t(mutes ? 'notice.youAreMuted' : 'talk.unheard')}
				</p>
			)}
		</div>
	);
}

const labels = {
	'push-to-talk': 'hold',
	'push-to-mute': 'holdMute',
	'push-to-translate': 'holdTranslate',
} as const;

function stateOf({ mode, open }: TalkView, isMeeting: boolean): 'talking' | 'silent' | 'translating' | 'raw' {
	if (mode !== 'push-to-translate') return open ? 'talking' : 'silent';
	if (open) return 'translating';
	return isMeeting ? 'raw' : 'silent';
}
