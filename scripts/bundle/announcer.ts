/**
 * React Aria's announcer empties its regions by `innerHTML`, which the page's policy (Trusted Types) refuses: the second number
 * announced would throw in an effect and take the whole window with it. Here they are emptied by a method that parses nothing.
 */
const ANNOUNCER = /[\\/]dist[\\/]private[\\/]live-announcer[\\/]LiveAnnouncer\.mjs$/;
const EMPTIED = ".innerHTML = ''";

export const announcer = {
	name: 'announcer',
	enforce: 'pre' as const,

	/** @throws Error when the library no longer has what is replaced here. */
	transform(code: string, id: string): string | null {
		if (!ANNOUNCER.test(id.replace(/\?.*$/, ''))) return null;
		const changed = code.replaceAll(EMPTIED, '.replaceChildren()');
		if (changed === code || changed.includes('innerHTML')) {
			throw new Error(
				`${id} no longer empties its regions by "${EMPTIED}": see scripts/bundle/announcer.ts.`,
			);
		}
		return changed;
	},
};
