import type { ComponentProps } from 'react';

/** Props of a button of React Aria that give it the system's own tooltip; none without a text. */
export function tooltip(text: string | undefined) {
	if (text === undefined) return {};
	return { render: (its: ComponentProps<'button'>) => <button type="button" {...its} title={text} /> };
}
