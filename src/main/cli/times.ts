const local = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium' });

/** `2026-11-21 14:03:07` in local time; `at` is Unix ms. */
export function localTime(at: number | null): string {
	return at === null ? 'unknown' : local.format(at);
}

/** `1 d 3 h`, `9 min 40 s`, `expired`. */
export function timeLeft(expiresAt: number | null, now: number): string {
	if (expiresAt === null) return 'unknown';
	const seconds = Math.floor((expiresAt - now) / 1000);
	if (seconds <= 0) return 'expired';
	const units = [
		[86_400, 'd'],
		[3600, 'h'],
		[60, 'min'],
		[1, 's'],
	] as const;
	const first = units.findIndex(([size]) => seconds >= size);
	let rest = seconds;
	const parts: string[] = [];
	for (const [size, name] of units.slice(first, first + 2)) {
		const count = Math.floor(rest / size);
		rest -= count * size;
		if (count > 0) parts.push(`${count} ${name}`);
	}
	return parts.join(' ');
}

/** `2026-11-21T14:03:07Z` for JSON; Unix ms in. */
export function isoTime(at: number | null): string | null {
	if (at === null) return null;
	const utc = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium', timeZone: 'UTC' });
	return `${utc.format(at).replace(' ', 'T')}Z`;
}
