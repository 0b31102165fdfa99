import { type ReactNode, useId, useRef } from 'react';
import type { Place } from '#renderer/shell/navigation.ts';
import { useFocusPlace } from '#renderer/shell/use-focus-place.ts';
import page from '#renderer/ui/page.module.css';

export interface SectionProps {
	readonly title: string;
	/** When navigated to, the section scrolls into view and takes focus. */
	readonly place?: Place;
	readonly children: ReactNode;
}

export function Section({ title, place, children }: SectionProps) {
	const id = useId();
	const section = useRef<HTMLElement>(null);
	useFocusPlace(place, section);
	return (
		<section ref={section} tabIndex={-1} className={page.card} aria-labelledby={id}>
			<h2 id={id} className={page.cardTitle}>
				{title}
			</h2>
			{children}
		</section>
	);
}
