/** First cells of header rows in a glossary's table. */
export const TABLE_HEADS = /^(source|from|term|word|original|recogni[sz]ed|wrong)$/i;

/** Whether a text is XML: a table of terms never begins like that. */
export function isXml(text: string): boolean {
	return /^\uFEFF?\s*<(?:[?!]|martif|tbx)/i.test(text);
}
