package observe

import (
	"context"
	"errors"
	"strings"

	"cuatui/engine/devtools"
	"cuatui/engine/limits"
	"cuatui/engine/world"
	"cuatui/snapshotfmt"
)

// The first accessibility call in a document makes Chromium build its whole
// accessibility cache on the page's own main thread: 20,000 rows 0.84 s, the
// same rows with a label each 55-84 s, during which the page is frozen. These
// counts keep us from asking.
const (
	axElementsMax = 20_000
	axLabelsMax   = 1_000
)

// meaning replaces the computed meaning of the picked candidates by the
// browser's own where the caller asked for it and the page can bear it. It
// returns why it did not.
func (s *Snapshot) meaning(ctx context.Context, picked []*candidate) (string, error) {
	if s.o.Meaning != "accessibility" || s.o.Collector == CollectProtocol { // which has asked for it all
		return "", nil
	}
	if s.elements() > axElementsMax || s.first.Labels > axLabelsMax {
		s.o.Meaning = "computed"
		return "asking accessibility would freeze a page of this size", nil
	}
	limited, cancel := context.WithTimeout(ctx, limits.AccessibilityTimeout)
	defer cancel()
	err := s.askAccessibility(limited, picked)
	switch {
	case err == nil:
		return "", nil
	case ctx.Err() == nil && limited.Err() != nil:
		s.o.Meaning = "computed"
		return "accessibility did not answer in time", nil
	}
	return "", err
}

type axValue struct {
	Value any `json:"value"`
}

type axNode struct {
	Ignored     bool     `json:"ignored"`
	Role        axValue  `json:"role"`
	Name        axValue  `json:"name"`
	Description axValue  `json:"description"`
	Value       axValue  `json:"value"`
	Properties  []axProp `json:"properties"`
}

type axProp struct {
	Name  string  `json:"name"`
	Value axValue `json:"value"`
}

// askAccessibility asks for each candidate, pipelined, and takes over role,
// name and description of those that are in the accessibility tree.
func (s *Snapshot) askAccessibility(ctx context.Context, picked []*candidate) error {
	byDoc := map[*surveyed][]*candidate{}
	for _, c := range picked {
		byDoc[c.in] = append(byDoc[c.in], c)
	}
	for d, list := range byDoc {
		locals := make([]int, len(list))
		for i, c := range list {
			locals[i] = c.m.Local
		}
		handles, err := d.doc.Nodes(ctx, locals, d.doc.group+"-nodes")
		if err != nil {
			return err
		}
		sent := make([]*devtools.Pending, len(list))
		for i, h := range handles {
			if h != "" {
				sent[i] = d.doc.Session.Send("Accessibility.getPartialAXTree", map[string]any{"objectId": h, "fetchRelatives": false})
			}
		}
		for i, p := range sent {
			if p == nil {
				continue
			}
			if err := list[i].m.takeAX(ctx, p); err != nil {
				return err
			}
		}
		if err := releaseNodes(d.doc.Session, d.doc.group).Decode(ctx, nil); err != nil && !world.Gone(err) {
			return err
		}
	}
	return nil
}

func (m *meaning) takeAX(ctx context.Context, p *devtools.Pending) error {
	var r struct {
		Nodes []axNode `json:"nodes"`
	}
	var perr *devtools.Error
	err := p.Decode(ctx, &r)
	if errors.As(err, &perr) {
		return nil // died meanwhile: its computed meaning stands
	}
	if err != nil {
		return err
	}
	if len(r.Nodes) == 0 || r.Nodes[0].Ignored {
		return nil
	}
	n := r.Nodes[0]
	m.ownRole, m.ownName, m.ownDesc, m.foreign = m.Role, m.Name, m.Desc, true
	if role, ok := n.Role.Value.(string); ok {
		if aria := ariaRole(role); aria != "" && words(aria) {
			m.Role = aria
		}
	}
	if name, ok := n.Name.Value.(string); ok && name != "" {
		m.Name = snapshotfmt.Fold(name, limits.NameCharsMax)
	}
	if d, ok := n.Description.Value.(string); ok && d != "" {
		m.Desc = snapshotfmt.Fold(d, limits.NameCharsMax)
	}
	return nil
}

// internalRoles maps Chromium's own role names to ARIA; "" keeps the computed one.
var internalRoles = map[string]string{
	"disclosuretriangle": "button", "disclosuretrianglegrouped": "button", "statictext": "", "rootwebarea": "", "image": "img",
	"generic": "", "paragraph": "", "labeltext": "", "iframe": "", "menulistpopup": "listbox", "legend": "", "inlinetextbox": "",
	"canvas": "", "video": "", "audio": "", "svgroot": "img", "colorwell": "button", "date": "", "datetime": "", "inputtime": "",
	"popupbutton": "button", "togglebutton": "button", "none": "", "unknown": "", "details": "group", "sectionheader": "", "sectionfooter": "",
	"pluginobject": "", "embeddedobject": "", "layouttable": "table", "layouttablerow": "row", "layouttablecell": "cell", "graphics-symbol": "", "ruby": "", "rubyannotation": "",
}

func ariaRole(role string) string {
	r := strings.ToLower(role)
	if aria, ok := internalRoles[r]; ok {
		return aria
	}
	return r
}
