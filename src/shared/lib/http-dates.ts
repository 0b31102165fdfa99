/** Reads the service's times independently of this computer's clock. All times are Unix ms, UTC. */

const HTTP = /^\w+,?\s+(\d{1,2})[ -](\w{3})[ -](\d{4}|\d\d)\s+(\d\d):(\d\d):(\d\d)\s*(?:GMT|UTC|\+0000)?$/i;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAY_MS = 86_400_000;

/** Parses the `Date` and `Retry-After` headers (RFC 9110 5.6.7); `null` if unreadable. */
export function parseHttpDate(text: string): number | null {
	const found = HTTP.exec(text.trim());
	if (!found) return null;
	const [, day, month = '', year = '', hour, minute, second] = found;
	const fullYear = year.length === 2 ? 2000 + Number(year) : Number(year);
	const number = MONTHS.indexOf(month.toLowerCase()) + 1;
	return utcMs(fullYear, number, Number(day), Number(hour), Number(minute), Number(second));
}

/** The wait that `Retry-After` requests, ms; `null` if none. A date counts from the server's time, `serverNow`. */
export function parseRetryAfter(text: string | null, serverNow: number): number | null {
	if (text === null) return null;
	if (/^\s*\d{1,9}(\.\d+)?\s*$/.test(text)) return Math.round(Number(text) * 1000);
	const at = parseHttpDate(text);
	return at === null ? null : Math.max(0, at - serverNow);
}

function utcMs(
	year: number,
	month: number,
	day: number,
	hour: number,
	minute: number,
	second: number,
): number | null {
	if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return null;
	// A leap second (60) counts as the next minute, as usual.
	if (hour > 24 || minute > 59 || second > 60) return null;
	return daysBefore(year, month, day) * DAY_MS + ((hour * 60 + minute) * 60 + second) * 1000;
}

function daysIn(year: number, month: number): number {
	if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
	return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Days since 1970-01-01, counting years from March so that the leap day comes last. */
function daysBefore(year: number, month: number, day: number): number {
	const y = month <= 2 ? year - 1 : year;
	const era = Math.floor(y / 400);
	const yearOfEra = y - era * 400;
	const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
	const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
	return era * 146_097 + dayOfEra - 719_468;
}
