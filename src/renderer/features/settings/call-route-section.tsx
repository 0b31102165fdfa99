import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { Button } from '#renderer/ui/button.tsx';
import { ButtonRow } from '#renderer/ui/button-row.tsx';
import { Select } from '#renderer/ui/select.tsx';
import { NoticeLine } from '#renderer/window/components/problem-notice.tsx';
import { isRunning } from '#renderer/window/live-changes.ts';
import { useParts, useSetting } from '#renderer/window/parts.ts';
import { isolate } from '#renderer/window/words/i18n.ts';
import { isOwnDevice } from '#shared/audio/own-device.ts';
import { cableName } from '#shared/routing/cables.ts';
import { type CallRoute, callRoute } from '#shared/routing/call-route.ts';
import styles from './call-route.module.css';
import { PathTestSteps } from './path-test-steps.tsx';
import { Section } from './section.tsx';
import { SwitchSetting } from './setting-fields.tsx';
import { SettingRow } from './setting-row.tsx';
import { usePathTest } from './use-path-test.ts';
import { VirtualMicrophoneState } from './virtual-microphone-state.tsx';

/** Means "whatever there is"; device ids are never empty. */
const AUTOMATIC = '';

/**
 * How the voice gets into a call: the virtual microphone or a cable, what to choose in the call's program, and a test.
 */
export function CallRouteSection() {
	const { t } = useTranslation();
	const { routing, sound } = useParts();
	const { microphones, outputs, systemOutput } = useStore(sound.store);
	const callOutput = useSetting('callOutput');
	const virtualMicrophone = useStore(routing.store, (state) => state.virtualMicrophone);
	const route = callRoute({ callOutput, virtualMicrophone, outputs, inputs: microphones });
	const isCableTheSpeaker =
		cableName(systemOutput) !== null ||
		(virtualMicrophone.state === 'ready' && systemOutput === virtualMicrophone.speakerLabel);
	return (
		<Section title={t('callRoute.title')} place="call-route">
			<p className={styles.lead}>{t('callRoute.lead')}</p>
			<div data-setting="virtualMicrophone">
				<VirtualMicrophoneState />
			</div>
			{isCableTheSpeaker && (
				<NoticeLine tone="warning" text={t('callRoute.speakerIsCable', { name: isolate(systemOutput) })} />
			)}
			<RouteLine route={route} />
			<PathTest route={route} />
			<OutputOfCall />
			<SwitchSetting name="callTone" label={t('beacon.tone')} hint={t('beacon.toneHint')} />
			<SwitchSetting name="callOpening" label={t('beacon.opening')} hint={t('beacon.openingHint')} />
		</Section>
	);
}

/** What to choose in the program of the call. */
function RouteLine({ route }: { readonly route: CallRoute }) {
	const { t } = useTranslation();
	if (route.how === 'none') return null;
	if (route.how === 'missing')
		return <NoticeLine tone="warning" text={t('callRoute.missing', { name: isolate(route.speakerLabel) })} />;
	if (route.microphoneLabel === null) return <p>{t('callRoute.unknownEnd')}</p>;
	return (
		<div className={styles.choose}>
			<p>{t('callRoute.choose')}</p>
			<p className={styles.microphone}>
				<bdi>{route.microphoneLabel}</bdi>
			</p>
			<p className={styles.hint}>{t('callRoute.leaveSpeaker')}</p>
		</div>
	);
}

function PathTest({ route }: { readonly route: CallRoute }) {
	const { t } = useTranslation();
	const { conversation } = useParts();
	const live = useStore(conversation.store, ({ phase }) => isRunning(phase));
	const there = route.how === 'none' || route.how === 'missing' ? null : route;
	const test = usePathTest(there?.output ?? null, there?.microphoneLabel ?? null);
	if (!there || there.microphoneLabel === null) return null;
	return (
		<div className={styles.test}>
			<ButtonRow>
				{test.step === null ? (
					<Button onPress={test.run} isDisabled={live}>
						{t('callRoute.test')}
					</Button>
				) : (
					<Button onPress={test.stop}>{t('callRoute.testStop')}</Button>
				)}
			</ButtonRow>
			<p className={styles.hint}>{t(live ? 'callRoute.testLive' : 'callRoute.testHint')}</p>
			<PathTestSteps running={test.step} outcome={test.outcome} isOwn={there.how === 'virtual'} />
		</div>
	);
}

/** For those who set up their own routing: another output instead of the detected one. */
function OutputOfCall() {
	const { t } = useTranslation();
	const { settings, sound } = useParts();
	// Our own device is what automatic means, and is not there before it is made.
	const outputs = useStore(sound.store).outputs.filter((device) => !isOwnDevice(device));
	const setting = useSetting('callOutput');
	const chosen = setting && !isOwnDevice(setting) ? setting : null;
	const known = chosen && outputs.find(({ id, label }) => id === chosen.id || label === chosen.label);
	const options = [
		{ value: AUTOMATIC, label: t('callRoute.automatic') },
		...outputs.map(({ id, label }) => ({ value: id, label })),
	];
	if (chosen && !known) options.push({ value: chosen.id, label: t('sound.missing', { name: chosen.label }) });

	function choose(id: string): void {
		const device = outputs.find((one) => one.id === id) ?? (id === chosen?.id ? chosen : null);
		void settings.write({ callOutput: device && { id: device.id, label: device.label } });
	}

	return (
		<SettingRow name="callOutput">
			{(fixed) => (
				<Select
					label={t('callRoute.output')}
					hint={t('callRoute.outputHint')}
					options={options}
					value={known?.id ?? chosen?.id ?? AUTOMATIC}
					isDisabled={fixed}
					onChange={choose}
				/>
			)}
		</SettingRow>
	);
}
