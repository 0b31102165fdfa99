import type { ReactNode, Ref } from 'react';
import { ButtonRow } from './button.tsx';
import page from './page.module.css';

export interface PageHeadProps {
	readonly title: string;
	readonly lead: string;
	/** The heading, which takes focus when the focused element disappears. */
	readonly titleRef?: Ref<HTMLHeadingElement>;
	/** The buttons for the whole page. */
	readonly children?: ReactNode;
}

/** The title and purpose of a page, with its buttons beside them if there is room. */
export function PageHead({ title, lead, titleRef, children }: PageHeadProps) {
	return (
		<header className={page.head}>
			<div>
				<h1 className={page.title} ref={titleRef} tabIndex={-1}>
					{title}
				</h1>
				<p className={page.lead}>{lead}</p>
			</div>
			{children && <ButtonRow>{children}</ButtonRow>}
		</header>
	);
}
