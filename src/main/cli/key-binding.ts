import { PUBLIC_REST_BASE } from '#main/service/addresses.ts';
import type { InForce } from '#main/settings/sources.ts';
import { type Product, PUBLIC_SOCKETS } from '#main/streaming/addresses.ts';
import type { Problem } from '#shared/problem.ts';

type Place = 'api' | Product;

const usual: Readonly<Record<Place, string>> = { api: PUBLIC_REST_BASE, ...PUBLIC_SOCKETS };

/**
 * May a key of the environment or of standard input go to the address in force? `null` = yes: options,
 * variables or the default named it. The key was not given for an address that only the app's settings
 * name: whoever could write there would get it.
 */
export function keyRefusal(place: Place, { values, origins }: InForce): Problem | null {
	const address = values[`${place}Url`];
	if (origins[`${place}Url`] !== 'setting' || address === '' || address === usual[place]) return null;
	return { kind: 'key-elsewhere', host: URL.parse(address.replaceAll(/[{}]/g, ''))?.host ?? '' };
}

/** What to do about it. */
export const NAME_IT_HINT =
	'Only the settings of the app name it: to send the key there, name it with --api-url, --s2s-url, --stt-url or --tts-url, or their variables.';
