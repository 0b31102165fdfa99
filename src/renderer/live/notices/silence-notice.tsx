import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { useFacing } from '#renderer/face-to-face/use-facing.ts';
import { isolate } from '#renderer/i18n/i18n.ts';
import { NoticeLine } from '#renderer/problems/problem-notice.tsx';
import type { Place } from '#renderer/shell/navigation.ts';
import { useParts } from '#renderer/shell/parts.ts';
import type { SoundDevice } from '#renderer/sound/sound.ts';
import type { SilentStage } from '#shared/conversation/silence.ts';
import type { LegName } from '#shared/leg-name.ts';

/** The first silent direction, and its silent stage. */
export function useSilence(): { readonly leg: LegName; readonly stage: SilentStage } | null {
	const { silence } = useParts();
	const outgoing = useStore(silence.outgoing.store, ({ stage }) => stage);
	const incoming = useStore(silence.incoming.store, ({ stage }) => stage);
	if (outgoing) return { leg: 'outgoing', stage: outgoing };
	return incoming && { leg: 'incoming', stage: incoming };
}

/** Connected but silent: names the stage, and what to do about it. */
export function SilenceNotice() {
	const found = useSilence();
	return found && <Told key={`${found.leg} ${found.stage}`} {...found} />;
}

interface Action {
	readonly label: string;
	readonly take: () => void;
	/** Leads to a control of the live page, which the page of face to face does not have. */
	readonly toBox?: boolean;
}

function Told({ leg, stage }: { readonly leg: LegName; readonly stage: SilentStage }) {
	const { t } = useTranslation();
	const { silence, legs, conversation, settings, navigation, sound } = useParts();
	const isAlone = useStore(legs.names, (names) => names.length < 2);
	const other = useLiveliest(stage === 'microphone' || stage === 'speech');
	const facing = useFacing();
	const dismiss = () => silence[leg].dismiss();

	const lead = (place: Place, label: string): Action => ({
		label,
		take: () => navigation.go('live', place),
		toBox: true,
	});
	const chooseMicrophone = lead('microphone', t('silence.chooseMicrophone'));
	const again: Action = {
		label: t('silence.again'),
		take() {
			dismiss();
			legs[leg].conversation.reconnect();
		},
	};
	const actions: { readonly [Stage in SilentStage]: readonly Action[] } = {
		muted: [
			{
				label: t('notice.unmute'),
				take() {
					legs[leg].conversation.setMuted(false);
					if (isAlone) conversation.setMuted(false);
					dismiss();
				},
			},
		],
		microphone: other ? [otherOne(other), chooseMicrophone] : [chooseMicrophone],
		speech: other ? [otherOne(other), chooseMicrophone] : [chooseMicrophone],
		packets: [again],
		// The connection is too slow; nothing we can offer makes it faster.
		line: [],
		captions: [],
		transcript: [again, lead('languages', t('silence.languages'))],
		voice: [again],
		output: [
			{
				label: t('silence.turnUp'),
				take() {
					legs[leg].muteVoice(false);
					if (settings.store.getState().values.voiceVolume === 0) void settings.write({ voiceVolume: 1 });
					dismiss();
				},
			},
			{ label: t('silence.testSound'), take: () => void sound.testOutput() },
			lead('output', t('notice.chooseOutput')),
		],
	};

	function otherOne({ id, label }: SoundDevice): Action {
		return {
			label: t('silence.useOther', { device: isolate(label) }),
			take() {
				void settings.write({ microphone: { id, label } });
				dismiss();
			},
		};
	}

	const [action, ...others] = actions[stage].filter(({ toBox }) => !(facing && toBox));
	const words = t(`silence.${stage}`);
	return (
		<div data-silence={stage}>
			<NoticeLine
				tone={stage === 'speech' || stage === 'captions' ? 'info' : 'warning'}
				text={isAlone ? words : `${t(`legs.${leg}`)}: ${words}`}
				action={action}
				others={others}
				dismiss={{ label: t('notice.dismiss'), take: dismiss }}
			/>
		</div>
	);
}

/** Another microphone that has a level, searched for once. */
function useLiveliest(wanted: boolean): SoundDevice | null {
	const { sound } = useParts();
	const [found, setFound] = useState<SoundDevice | null>(null);
	useEffect(() => {
		if (!wanted) return;
		let isHere = true;
		void sound.liveliest().then((device) => {
			if (isHere) setFound(device);
		});
		return () => {
			isHere = false;
		};
	}, [wanted, sound]);
	return found;
}
