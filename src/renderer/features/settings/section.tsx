import { type ReactNode, useEffect, useId, useRef } from 'react';
import { useStore } from 'zustand';
import page from '#renderer/ui/page.module.css';
import type { Place } from '#renderer/window/navigation.ts';
import { useParts } from '#renderer/window/parts.ts';

export interface SectionProps {
	readonly title: string;
	/** When navigated to, the section scrolls into view and takes focus. */
	readonly place?: Place;
	readonly children: ReactNode;
}

export function Section({ title, place, children }: SectionProps) {
	const id = useId();
	const { navigation } = useParts();
	const asked = useStore(navigation.store, (view) => (place && view.place === place ? view.ask : 0));
	const section = useRef<HTMLElement>(null);
	useEffect(() => {
		if (asked > 0) section.current?.focus();
	}, [asked]);
	return (
		<section ref={section} tabIndex={-1} className={page.card} aria-labelledby={id}>
			<h2 id={id} className={page.cardTitle}>
				{title}
			</h2>
			{children}
		</section>
	);
}
