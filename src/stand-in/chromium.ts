/** A Chromium to run the window in where there is no Electron. */
export interface Chromium {
	readonly executablePath: string;
	/** Extra environment the browser needs (fonts, libraries). */
	readonly env: Readonly<Record<string, string>>;
	readonly kind: 'named' | 'installed' | 'npm';
	/** Can open a visible window. */
	readonly headed: boolean;
}

/** Flags for every Chromium we start (ecosystem 4.2). */
export const chromiumFlags: readonly string[] = [
	'--no-sandbox',
	'--disable-gpu',
	'--disable-quic',
	'--no-first-run',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
	'--use-fake-device-for-media-stream',
	'--use-fake-ui-for-media-stream',
	'--autoplay-policy=no-user-gesture-required',
	'--allow-loopback-in-peer-connection',
];

export async function findChromium(): Promise<Chromium> {
	return {
		executablePath: process.env.DRAGOMAN_CHROMIUM ?? '/usr/bin/chromium',
		env: {},
		kind: 'installed',
		headed: true,
	};
}
