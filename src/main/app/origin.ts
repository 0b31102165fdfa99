/** Where the pages of the app are served from. */
export const APP_ORIGIN = 'app://dragoman';

/** Our own page, whatever its path. */
export function isOurs(address: string): boolean {
	return address === APP_ORIGIN || address.startsWith(`${APP_ORIGIN}/`);
}
