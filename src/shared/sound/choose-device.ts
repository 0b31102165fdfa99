/** A microphone or loudspeaker as the system lists it. */
export interface Device {
	/** Stable for this app on this machine, but may change after a reinstall; empty = the system default. */
	readonly id: string;
	/** As the system names it; empty before permission was given. */
	readonly label: string;
	/** The same for all parts of one device; empty when unknown. */
	readonly group: string;
}

/** What the user chose; `null` = whatever the system's default is. */
export type WantedDevice = { readonly id: string; readonly label: string } | null;

export type DeviceChoice =
	/** The wanted one, under its id or (after ids changed) under its label. */
	| { readonly how: 'wanted'; readonly device: Device }
	/** The user wants the default. */
	| { readonly how: 'default' }
	/** The wanted one is not there now; the default stands in. */
	| { readonly how: 'stand-in' };

/** By id, else by label, else the default. */
export function chooseDevice(wanted: WantedDevice, present: readonly Device[]): DeviceChoice {
	if (!wanted || wanted.id === 'default' || wanted.id === '') return { how: 'default' };
	const byId = present.find((device) => device.id === wanted.id);
	if (byId) return { how: 'wanted', device: byId };
	const byLabel = wanted.label === '' ? undefined : present.find((device) => device.label === wanted.label);
	return byLabel ? { how: 'wanted', device: byLabel } : { how: 'stand-in' };
}
