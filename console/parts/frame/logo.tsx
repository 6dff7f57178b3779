// The logo of svc: one request that fans out to many.

export function Logo() {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true">
      <rect class="logo" x="1" y="1" width="22" height="22" rx="6" />
      <g fill="#fff">
        <circle cx="7" cy="12" r="2.1" />
        <circle cx="16.5" cy="6.8" r="2.1" />
        <circle cx="16.5" cy="17.2" r="2.1" fill-opacity=".65" />
      </g>
      <path
        d="M7 12C11 12 11 6.8 16.5 6.8M7 12C11 12 11 17.2 16.5 17.2"
        fill="none"
        stroke="#fff"
        stroke-width="1.5"
      />
    </svg>
  );
}
