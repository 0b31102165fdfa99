import type { Page } from 'playwright-core';

/**
 * If an element has two classes that set the same property, the one named last refines the other. Which of two rules
 * of the same specificity wins depends on the order in which their files are loaded, which differs between the built
 * app and development. Each entry is a value that was lost: `a beats b: property, value, not value`.
 */
export function lostStyles(page: Page): Promise<string[]> {
	return page.evaluate(() => {
		type Values = Map<string, { readonly value: string; readonly at: number }>;
		const rules = new Map<string, Values>();
		let at = 0;
		function keep({ selectorText, style }: CSSStyleRule): void {
			at++;
			for (const selector of selectorText.split(',')) {
				const [, name] = /^\s*\.([\w-]+)\s*$/.exec(selector) ?? [];
				if (name === undefined) continue;
				const values: Values = rules.get(name) ?? new Map();
				for (const property of style) values.set(property, { value: style.getPropertyValue(property), at });
				rules.set(name, values);
			}
		}
		function read(list: CSSRuleList): void {
			for (const rule of list) {
				if (rule instanceof CSSStyleRule) keep(rule);
				else if (rule instanceof CSSMediaRule && matchMedia(rule.conditionText).matches) read(rule.cssRules);
			}
		}
		for (const sheet of document.styleSheets) read(sheet.cssRules);
		const lost = new Set<string>();
		for (const element of document.querySelectorAll('[class]')) {
			const names = [...element.classList];
			for (const [index, name] of names.entries())
				for (const before of names.slice(0, index))
					for (const [property, mine] of rules.get(name) ?? []) {
						const other = rules.get(before)?.get(property);
						if (other && other.at > mine.at && other.value !== mine.value)
							lost.add(`${before} beats ${name}: ${property}, ${other.value}, not ${mine.value}`);
					}
		}
		return [...lost];
	});
}
