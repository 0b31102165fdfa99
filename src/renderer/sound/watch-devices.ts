import type { RoutingMirror } from '#renderer/calls/routing-mirror.ts';
import type { AppInfo } from '#shared/host/contract.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import { createScope } from '#shared/lib/scope.ts';
import type { Devices } from './devices.ts';

/** About as soon as somebody looks for a headset just plugged in. */
const PERIOD_MS = 3000;
/** When to look after the virtual microphone came or went: at once, and after the browser's own handling. */
const LOOKS_MS = [0, 300, 1000] as const;

/**
 * Chromium on Linux hears of devices from udev, which knows nothing of what a sound server makes by itself:
 * virtual devices, Bluetooth, the network. There the list is read again and again. Returns a function that ends it.
 */
export function watchDevices({
	devices,
	routing,
	clock,
	platform,
}: {
	readonly devices: Pick<Devices, 'refresh'>;
	readonly routing: Pick<RoutingMirror, 'store'>;
	readonly clock: Clock;
	readonly platform: AppInfo['platform'];
}): Cancel {
	const scope = createScope(clock);
	const look = () => void devices.refresh();
	if (platform === 'linux') scope.every(PERIOD_MS, look);
	scope.add(
		routing.store.subscribe(({ virtualMicrophone: now }, { virtualMicrophone: before }) => {
			if (now.state === before.state) return;
			for (const afterMs of LOOKS_MS) scope.after(afterMs, look);
		}),
	);
	return () => scope.close();
}
