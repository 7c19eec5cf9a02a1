/**
 * The dashboard's only script. The dashboard's links and forms also work without JavaScript. The script reloads the
 * page after a change and patches the differences, submits forms without navigation, and handles keys.
 *
 * One tab per browser listens to the event stream, because a browser opens only six connections per host. This tab
 * notifies the other tabs of its namespace. Tabs of other namespaces, and browsers without Web Locks, poll instead.
 *
 * While the pointer, focus or selection is in a section, the script adds no rows to that section or to the sections
 * above. Existing rows are still updated, and keep their height. A button in each section adds the new rows. The result of a press on this page
 * is shown at once; only rows that were waiting before the press stay behind their button.
 */
export const DASHBOARD_SCRIPT = `
document.documentElement.classList.add("js");
const SCRIPT=document.currentScript.src;
addEventListener("DOMContentLoaded",()=>{
const NAME="payments-sandbox dashboard",POLL_MS=2000,PAUSE_MS=10,APART_MS=1000,TYPING_MS=150,DOUBLE_MS=700,DOUBLE_PX=30;
const {namespace}=document.body.dataset;
if(!namespace)return;
// Relative links of a response are those of its URL, and stay so in the page at another.
const absolute=(page,base)=>{for(const name of ["href","action"])for(const node of page.querySelectorAll("body ["+name+"]")){
const link=node.getAttribute(name);if(link[0]!=="#"){const {pathname,search,hash,origin,href}=new URL(link,base);node.setAttribute(name,origin===location.origin?pathname+search+hash:href)}}
return page};
absolute(document,location);
const $=(query,from=document)=>from.querySelector(query),all=(query,from=document)=>[...from.querySelectorAll(query)];
const said=$("#said"),gone=$("#gone");
let fresh=null,seenAt=new Date();

// Patching matches an element by key, or by position if the element has no key. Rows of a list always match by
// position: a row of another record takes the place of the old one, because moving the rows would shift the layout.
// A button's key is its action: it never becomes a button of another action.
const keyOf=(node)=>node.nodeType===1?node.id||node.dataset.key||node.name==="do"&&node.value||"":"";
const alike=(a,b)=>a.nodeType===b.nodeType&&a.nodeName===b.nodeName&&keyOf(a)===keyOf(b);
const attributes=(old,next)=>{
for(const {name} of [...old.attributes])if(!next.hasAttribute(name)&&!/^(open|style|tabindex|aria-invalid)$/.test(name))old.removeAttribute(name);
for(const {name,value} of next.attributes)if(name!=="open"&&old.getAttribute(name)!==value)old.setAttribute(name,value)};
const patch=(old,next)=>{
if(old.nodeType!==1){if(old.data!==next.data)old.data=next.data;return}
if(old===document.activeElement&&/INPUT|TEXTAREA|SELECT/.test(old.nodeName))return;
if(old.matches("[data-more],[data-clock],[data-live-mark],.fault,dialog"))return void(old.matches("[data-clock]")&&tellTime(next));
if(old.isEqualNode(next))return;
attributes(old,next);
if(/INPUT|TEXTAREA|SELECT/.test(old.nodeName))return;
if(old.matches(".copy[data-said]"))return;
const keyed=new Map();
for(const child of old.childNodes)if(keyOf(child))keyed.set(keyOf(child),child);
let at=old.firstChild;
const byPlace=old.matches("[data-list]");
for(const wanted of [...next.childNodes]){
const known=!byPlace&&keyOf(wanted)?keyed.get(keyOf(wanted)):at;
if(byPlace&&known?.nodeType===1&&known.nodeName===wanted.nodeName&&keyOf(known)!==keyOf(wanted)){at=known.nextSibling;known.replaceWith(wanted.cloneNode(true));continue}
if(known&&known.parentNode===old&&(byPlace?known.nodeName===wanted.nodeName:alike(known,wanted))){
if(known===at)at=at.nextSibling;else old.insertBefore(known,at);
patch(known,wanted)}
else old.insertBefore(wanted.cloneNode(true),at)}
while(at){const following=at.nextSibling;at.remove();at=following}};

const isHeld=(part)=>{
if(part.matches(":hover"))return true;
const {activeElement}=document,selection=getSelection();
return part!==activeElement&&part.contains(activeElement)&&activeElement.matches("input,textarea,select,[data-row],.acts *,.small *")||
!!selection&&!selection.isCollapsed&&part.contains(selection.anchorNode)};
// Focus that was in a removed element moves to its row or section, where Enter does nothing.
const release=(part)=>{for(const row of all("[data-list]>[style]",part))row.removeAttribute("style")};
addEventListener("resize",()=>release(document));
const replace=(column,next)=>{
release(column);
const {activeElement}=document,places=[];
for(let at=activeElement;column.contains(at);at=at.parentElement)if(at.matches(".row,[data-part],[data-column]"))places.push(at);
patch(column,next);
const place=!activeElement.isConnected&&places.find((one)=>one.isConnected);
if(place){place.tabIndex=-1;place.focus({preventScroll:true})}};
const withoutWaiting=(column,next)=>{
const own=next.cloneNode(true);
for(const more of all("[data-more]:not([hidden])",column)){
const rows=all("#"+more.closest("[data-part]").id+" [data-list]>*",own).filter((row)=>more.waiting?.has(row.dataset.key));
for(const row of rows)row.remove();
if(rows.length)more.textContent=rows.length+" new ↑";else more.hidden=true}
return own};
// "own": the result of a press on this page. true: everything. false: what moves nothing under the pointer.
const show=(wanted)=>{
if(!fresh)return;
for(const column of all("[data-column]")){
const next=column.id?fresh.getElementById(column.id):$(column.nodeName.toLowerCase()+"[data-column]",fresh.body);
if(!next)continue;
const parts=all(":scope>[data-part]",column);
const touched=wanted?-1:parts.findLastIndex(isHeld),held=wanted?-1:Math.max(touched,scrollY>200&&parts.length?0:-1);
if(wanted==="own"){for(const part of parts)part.style.minHeight="";replace(column,withoutWaiting(column,next));continue}
if(!parts.length||held<0){
// A section that shrinks keeps its height until the next press, so that the sections below stay where they are.
const heights=parts.map((part)=>part.offsetHeight);
for(const part of parts)if(wanted)part.style.minHeight="";
replace(column,next);
if(!wanted)for(const [place,part] of parts.entries())if(part.offsetHeight<heights[place])part.style.minHeight=heights[place]+"px";
for(const more of all("[data-more]",column))more.hidden=true;continue}
for(const [place,part] of parts.entries()){
const after=fresh.getElementById(part.id);
if(!after)continue;
if(place>held){patch(part,after);continue}
const list=$("[data-list]",part),wantedList=$("[data-list]",after),more=$("[data-more]",part);
if(!list||!wantedList){if(more&&part.innerHTML!==after.innerHTML&&$("[data-more]",after)){const was=part.cloneNode(true);$("[data-more]",was).hidden=true;more.hidden=was.isEqualNode(after)}continue}
const rows=[...list.children],known=new Map(rows.map((row)=>[row.dataset.key,row]));
if(place<=touched){const heights=rows.map((row)=>row.getBoundingClientRect().height);for(const [index,row] of rows.entries())row.style.height=heights[index]+"px"}
const waiting=new Set();
for(const row of wantedList.children){const old=known.get(row.dataset.key);if(old){known.delete(row.dataset.key);const had=old.contains(document.activeElement);patch(old,row);if(had&&!old.contains(document.activeElement))$("[data-row]",old)?.focus({preventScroll:true})}else waiting.add(row.dataset.key)}
if(more){more.waiting=waiting;more.hidden=!waiting.size&&!known.size&&!rows.some((row)=>row.scrollHeight>row.clientHeight);const text=waiting.size?waiting.size+" new ↑":"Changed ↑";if(!more.hidden&&more.textContent!==text)more.textContent=text}}}
// The form of all buttons returns to the page as filtered.
for(const outside of [".menu","#act"]){const part=$(outside),next=$(outside,fresh.body);if(part&&next)patch(part,next)}};
const later=()=>setTimeout(()=>show(false));
document.addEventListener("pointerout",later);
document.addEventListener("focusout",later);
document.addEventListener("selectionchange",later);

let clock={};
const tellTime=(from)=>{clock={at:Date.parse(from.dataset.now),speed:Number(from.dataset.speed),since:performance.now()};
const old=$("[data-clock]");if(old&&old!==from)patchInside(old,from);tick()};
const patchInside=(old,next)=>{old.dataset.speed=next.dataset.speed;for(const [place,child] of [...old.children].entries())if(!child.matches("[data-clock-text]")&&next.children[place])child.textContent=next.children[place].textContent};
const tick=()=>{const text=$("[data-clock-text]");if(!text)return;
const now=new Date(clock.at+(performance.now()-clock.since)*clock.speed).toISOString().slice(11,19);
if(text.textContent!==now)text.textContent=now};
tellTime($("[data-clock]"));
setInterval(tick,250);

// Connection to the server.
const lost=(is)=>{
gone.hidden=!is;
if(is)gone.textContent="The sandbox is not answering. Last seen "+seenAt.toTimeString().slice(0,8)+". Reconnecting…";
else seenAt=new Date();
mark()};
const mark=()=>{const live=$("[data-live-mark]");live.className="live "+(gone.hidden?"on":"off");live.textContent=gone.hidden?"● live":"✗ offline"};
mark();
const headers={accept:"text/html","sandbox-part":"1"};
const take=async(response)=>{
const next=absolute(new DOMParser().parseFromString(await response.text(),"text/html"),response.url);
lost(false);
if(next.body.dataset.namespace!==namespace)return null;
fresh=next;return next};
let due=0,busy=false,acting=false,last=-APART_MS;
const refresh=async()=>{due=0;
if(busy)return soon();
busy=true;last=performance.now();
try{const response=await fetch(location.href,{headers});if(response.ok&&await take(response))show(acting&&"own")}
catch{lost(true)}finally{busy=false}};
// A page of a busy sandbox is fetched once a second; a single change is shown at once.
const soon=()=>{if(!due)due=setTimeout(refresh,Math.max(PAUSE_MS,last+APART_MS-performance.now()))};
let isTold=false;
const channel=new BroadcastChannel(NAME);
const listen=()=>new Promise(()=>{
isTold=true;
const source=new EventSource(new URL("stream?view=light&namespace="+encodeURIComponent(namespace),SCRIPT));
channel.postMessage({serves:namespace});
channel.onmessage=({data})=>{if(data.asks===namespace)channel.postMessage({serves:namespace})};
const news=()=>{channel.postMessage({news:namespace});soon()};
for(const name of ["open","news","missed"])source.addEventListener(name,news);
source.addEventListener("error",()=>{soon()})});
channel.onmessage=({data})=>{
if(data.serves)isTold=data.serves===namespace;
if(data.news===namespace)soon()};
channel.postMessage({asks:namespace});
if(navigator.locks)navigator.locks.request(NAME,listen);
setInterval(()=>{if((!isTold||!gone.hidden)&&document.visibilityState==="visible")soon()},POLL_MS);

const place=(url)=>{const {pathname,search}=new URL(url,location);return pathname+search};
let here=place(location);
const visit=(to,isReplaced)=>{history[isReplaced?"replaceState":"pushState"](null,"",to);here=place(to)};
const revealTabs=()=>{for(const tab of all(":is(.menu,.tabs) [aria-current]")){
const strip=tab.closest("ul,.tabs");strip.scrollLeft=tab.offsetLeft+(tab.offsetWidth-strip.clientWidth)/2}};
revealTabs();
for(const rules of all(".card details"))if("#"+rules.parentElement.id===location.hash)rules.open=true;
// Scrolls the list only; scrollIntoView would scroll the page too.
for(const row of all("aside [aria-current]")){
const list=row.closest("aside"),box=row.getBoundingClientRect();
list.scrollTop+=box.top-list.getBoundingClientRect().top-(list.clientHeight-box.height)/2}
const swap=(next)=>{for(const part of ["#act",".body"])$(part).replaceWith(document.importNode($(part,next),true));revealTabs();scrollTo(0,0)};
// The heading of an object gets the focus, so that few tabs lead to its buttons.
const focusHeading=()=>{const heading=$(".object h1");if(heading){heading.tabIndex=-1;heading.focus({preventScroll:true})}return heading};
const go=(next,to)=>{visit(to);swap(next);if(!focusHeading())$("main").focus()};
if(!location.hash)focusHeading();
// Search and filters apply while typing; the field keeps its focus.
let typing=0,looking;
const look=(form)=>{
clearTimeout(typing);
const {pathname}=new URL(form.getAttribute("action")||location.pathname,location);
const query=new URLSearchParams([...new FormData(form)].filter(([,value])=>value!==""));
const to=pathname+(query.size?"?"+query:"");
if(to===place(location))return looking;
const isHere=pathname===location.pathname;
visit(to,isHere);
return looking=load(to,isHere)};
const load=async(to,isHere)=>{
try{const response=await fetch(to,{headers});
if(place(response.url)!==place(location)||!response.ok)return;
const next=await take(response);
if(!next)return;
if(!isHere)swap(next);
show(true)}catch{lost(true)}};
document.addEventListener("input",({target})=>{const form=target.closest("[data-live]");
if(form&&target.type==="search"){clearTimeout(typing);typing=setTimeout(()=>look(form),TYPING_MS)}});
document.addEventListener("change",({target})=>{if(target.matches("[data-live] select"))look(target.form)});
document.addEventListener("submit",async(event)=>{if(!event.target.matches("[data-live]"))return;
if(event.submitter?.name==="open")return clearTimeout(typing);event.preventDefault();await look(event.target);$("main [data-row]")?.focus()});
// Buttons act without leaving the page.
let hush=0,pressed={};
// After a first click has changed the page, the second of a double click may meet another button.
document.addEventListener("click",(event)=>{
const button=event.target.closest("[name=do]"),{clientX:x,clientY:y}=event,at=performance.now();
closeMenu(event.target);
if(!button)return;
if(event.detail&&button.value!==pressed.value&&at-pressed.at<DOUBLE_MS&&Math.hypot(x-pressed.x,y-pressed.y)<DOUBLE_PX)event.preventDefault();
else pressed={value:button.value,at,x,y}});
const closeMenu=(target)=>{
const menu=$(".menu-of[open]"),{activeElement}=document;
if(!menu||menu.contains(target))return;
menu.open=false;
if(activeElement.tabIndex<0||menu.contains(activeElement))$("summary",menu).focus({preventScroll:true})};
const fade=()=>{clearTimeout(hush);if(!$(".bad",said))hush=setTimeout(()=>said.replaceChildren(),8000)};
const notify=(text)=>{const p=document.createElement("p");p.className="notice";p.textContent=text;said.replaceChildren(p)};
const tell=(next)=>{const notice=$("#said",next);said.replaceChildren(...[...notice.childNodes].map((node)=>node.cloneNode(true)));
fade()};
fade();
document.addEventListener("submit",async(event)=>{
const {target:form,submitter}=event;
if(!form.matches("[data-act]")||submitter?.formMethod==="get")return;
event.preventDefault();
if(acting||!gone.hidden)return;
acting=true;
const label=submitter?.firstChild?.textContent;
const slow=setTimeout(()=>notify((label||"Working")+"…"),250);
try{
const response=await fetch(form.action,{method:"POST",headers,body:new URLSearchParams(new FormData(form,submitter))});
const next=await take(response),to=place(response.url);
clearTimeout(slow);
if(!next)return location.reload();
if(!response.redirected||to===place(location)||form.elements.back&&to.endsWith(form.elements.back.value)){tell(next);show("own");if(response.ok){closeMenu();if(form.id!=="act")form.reset()}}
else{go(next,to);tell(next)}}
catch{clearTimeout(slow);lost(true)}finally{acting=false}});
// A link to a part of the page is no visit of another.
addEventListener("popstate",()=>{if(place(location)!==here)location.reload()});
document.addEventListener("change",({target})=>{if(target.matches("[data-go]"))target.form.submit()});
const put=async(button)=>{
try{await navigator.clipboard.writeText(button.dataset.copy)}catch{
const area=document.createElement("textarea");area.value=button.dataset.copy;document.body.append(area);area.select();document.execCommand("copy");area.remove();button.focus()}
const label=button.textContent;button.dataset.said="1";button.style.minWidth=button.offsetWidth+"px";button.textContent="Copied";
setTimeout(()=>{button.textContent=label;delete button.dataset.said;button.style.minWidth=""},1500)};
document.addEventListener("click",({target})=>{
const button=target.closest("[data-copy]");
if(button&&!button.dataset.said)put(button);
if(target.closest("[data-more]"))show(true);
if(target.closest("[data-help]"))$("#help").showModal()});

const search=()=>{$("#q").focus();$("#q").select()};
addEventListener("keydown",(event)=>{
const {key,target}=event;
if(key==="Escape"&&!$("dialog[open]"))closeMenu();
if(key==="Enter"&&event.repeat&&target.name==="do")return event.preventDefault();
if(key==="k"&&(event.metaKey||event.ctrlKey)){event.preventDefault();return search()}
if(event.metaKey||event.ctrlKey||event.altKey||target.matches("input,textarea,select")||$("dialog[open]"))return;
const rows=all("[data-row]"),current=document.activeElement?.closest(".row")?.querySelector("[data-row]")??$("[data-row][aria-current]");
// Without a current row, the first is that of the section in the URL's fragment, or of the filtered list.
const at=current?rows.indexOf(current):Math.max(0,rows.indexOf($(":target [data-row],[data-first] [data-row]")))-1;
const keys={"/":search,j:()=>rows[Math.min(at+1,rows.length-1)]?.focus(),k:()=>rows[Math.max(at-1,0)]?.focus(),
"?":()=>$("#help").showModal()};
if(keys[key]){event.preventDefault();keys[key]()}})});
`;
