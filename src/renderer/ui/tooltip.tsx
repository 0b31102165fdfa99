import type { ComponentProps } from 'react';

/** Props of a button of React Aria that give it a tooltip (`shell/focus-tip.tsx` shows it); none without a text. */
export function tooltip(text: string | undefined) {
	if (text === undefined) return {};
	return { render: (its: ComponentProps<'button'>) => <button type="button" {...its} data-tooltip={text} /> };
}
