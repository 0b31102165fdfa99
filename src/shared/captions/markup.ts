/** Text among tags (HTML, WebVTT): none of it is one. */
export function escapeMarkup(text: string): string {
	return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
